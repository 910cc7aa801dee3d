import { addMonths, differenceInBusinessDays, eachWeekOfInterval, format, formatDistance, parse, startOfISOWeek } from 'date-fns';
import { de } from 'date-fns/locale';
const date = new Date(2024, 0, 31, 13, 5, 9);
console.log(format(addMonths(date, 1), "yyyy-MM-dd'T'HH:mm:ss EEEE do QQQ"), format(date, 'PPPPpp', { locale: de }));
console.log(formatDistance(date, new Date(2024, 5, 1)), differenceInBusinessDays(new Date(2024, 5, 1), date), +startOfISOWeek(date) - +new Date(2024, 0, 29));
console.log(eachWeekOfInterval({ start: date, end: new Date(2024, 2, 1) }).map((day) => format(day, 'MMM d')), format(parse('3/4/2021', 'd/M/yyyy', date), 'PP'));
