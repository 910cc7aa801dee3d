import { Box3, BufferAttribute, Matrix4, Mesh, MeshBasicMaterial, PerspectiveCamera, Quaternion, Raycaster, Scene, SphereGeometry, TorusKnotGeometry, Vector3 } from 'three';
const scene = new Scene();
for (let i = 0; i < 20; i++) {
  const mesh = new Mesh(i % 2 ? new SphereGeometry(1, 24, 16) : new TorusKnotGeometry(1, 0.3, 64, 12), new MeshBasicMaterial());
  mesh.position.set(i * 2 - 20, Math.sin(i), -i);
  mesh.quaternion.setFromAxisAngle(new Vector3(0, 1, 0), i / 3);
  scene.add(mesh);
}
scene.updateMatrixWorld(true);
const ray = new Raycaster(new Vector3(-40, 0, -5), new Vector3(1, 0.01, 0).normalize());
console.log(ray.intersectObjects(scene.children).slice(0, 8).map((hit) => [hit.distance, ...hit.point.toArray(), hit.faceIndex]));
console.log(new Box3().setFromObject(scene), new PerspectiveCamera(50, 1.5, 0.1, 100).projectionMatrix.elements);
console.log(new Matrix4().compose(new Vector3(1, 2, 3), new Quaternion(0, 0.6, 0, 0.8), new Vector3(2, 2, 2)).invert().toArray(), typeof BufferAttribute);
