import { bin, extent, group, quantile, rollup, ticks } from 'd3-array';
import { geoAlbers, geoArea, geoCircle, geoContains, geoDistance, geoMercator, geoPath } from 'd3-geo';
const values = Array.from({ length: 200 }, (_, i) => Math.sin(i) * 100);
console.log(extent(values), quantile(values, 0.3), ticks(-1, 1, 7), bin().thresholds(6)(values).map((list) => [list.x0, list.x1, list.length]));
console.log(group([1, 2, 3, 4], (x) => x % 2), rollup([1, 2, 3], (list) => list.length, (x) => x > 1));
const circle = geoCircle().center([10, 45]).radius(20).precision(10)();
console.log(geoPath(geoMercator())(circle), geoPath(geoAlbers()).area(circle), geoArea(circle), geoContains(circle, [12, 40]), geoDistance([0, 0], [50, 50]));
