// The planets of the solar system attract one another: nothing but floating-point numbers.
interface Body {
  readonly name: string;
  x: number; y: number; z: number;
  vx: number; vy: number; vz: number;
  mass: number;
}

const SOLAR_MASS = 4 * Math.PI * Math.PI;
const DAYS_PER_YEAR = 365.24;

type Vector = [x: number, y: number, z: number];

function body(name: string, position: Vector, velocity: Vector, mass: number): Body {
  const [x, y, z] = position;
  const [vx, vy, vz] = velocity.map((v: number) => v * DAYS_PER_YEAR) as Vector;
  return { name, x, y, z, vx, vy, vz, mass: mass * SOLAR_MASS };
}

class System {
  private readonly bodies: Body[];

  constructor(bodies: Body[]) {
    this.bodies = bodies;
    let px = 0, py = 0, pz = 0;
    for (const b of bodies) {
      px += b.vx * b.mass;
      py += b.vy * b.mass;
      pz += b.vz * b.mass;
    }
    const sun: Body = bodies[0]!;
    sun.vx = -px / SOLAR_MASS;
    sun.vy = -py / SOLAR_MASS;
    sun.vz = -pz / SOLAR_MASS;
  }

  private attract(a: Body, b: Body, dt: number): void {
    const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    const square = dx * dx + dy * dy + dz * dz;
    const magnitude = dt / (square * Math.sqrt(square));
    a.vx -= dx * b.mass * magnitude;
    a.vy -= dy * b.mass * magnitude;
    a.vz -= dz * b.mass * magnitude;
    b.vx += dx * a.mass * magnitude;
    b.vy += dy * a.mass * magnitude;
    b.vz += dz * a.mass * magnitude;
  }

  private move(b: Body, dt: number): void {
    b.x += dt * b.vx;
    b.y += dt * b.vy;
    b.z += dt * b.vz;
  }

  advance(dt: number): void {
    const bodies = this.bodies;
    for (let i = 0; i < bodies.length; i++) {
      for (let j = i + 1; j < bodies.length; j++) this.attract(bodies[i]!, bodies[j]!, dt);
    }
    for (const b of bodies) this.move(b, dt);
  }

  energy(): number {
    let e = 0;
    this.bodies.forEach((a: Body, i: number) => {
      e += 0.5 * a.mass * (a.vx ** 2 + a.vy ** 2 + a.vz ** 2);
      for (const b of this.bodies.slice(i + 1)) {
        e -= (a.mass * b.mass) / Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
      }
    });
    return e;
  }
}

const system = new System([
  body('Sun', [0, 0, 0], [0, 0, 0], 1),
  body('Jupiter', [4.84143144246472090, -1.16032004402742839, -0.103622044471123109],
    [0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023], 0.000954791938424326609),
  body('Saturn', [8.34336671824457987, 4.12479856412430479, -0.403523417114321381],
    [-0.00276742510726411213, 0.00499852801234917238, 0.0000230417297573763929], 0.000285885980666130812),
  body('Uranus', [12.8943695621391310, -15.1111514016986312, -0.223307578892655734],
    [0.00296460137564761618, 0.00237847173959480950, -0.0000296589568540237556], 0.0000436624404335156298),
  body('Neptune', [15.3796971148509165, -25.9193146099879641, 0.179258772950371181],
    [0.00268067772490389322, 0.00162824170038242295, -0.0000951592254519715870], 0.0000515138902046611451),
]);

console.log(system.energy().toFixed(9));
for (let step = 0; step < 20_000_000; step++) system.advance(0.01);
console.log(system.energy().toFixed(9));
