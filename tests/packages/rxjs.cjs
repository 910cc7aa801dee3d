const { from, interval, of, Subject } = require('rxjs');
const { map, mergeMap, scan, take, toArray, catchError } = require('rxjs/operators');
from([1, 2, 3]).pipe(map((x) => x * 2), scan((a, b) => a + b, 0)).subscribe((x) => console.log('sum', x));
interval(1).pipe(take(3), mergeMap((x) => of(x, x * 10)), toArray()).subscribe((list) => console.log(list));
const subject = new Subject();
subject.pipe(map(() => { throw new Error('no'); }), catchError((error) => of(error.message))).subscribe(console.log);
subject.next(1);
