// The process that a Realm is in, or its end by a signal.
import { kill, pid } from 'fino:process';

export default (signal) => (signal === undefined ? pid : kill(pid, signal));
