import { createContext, h } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';
import { render } from 'preact-render-to-string';
const Theme = createContext('light');
const Row = ({ n }) => { const [x] = useState(n * 2); return h('tr', { class: useContext(Theme), 'data-x': x }, h('td', null, useMemo(() => `<${n}>`, [n]))); };
const App = () => h(Theme.Provider, { value: 'dark' }, h('table', { style: { color: 'red', width: 3 } }, [1, 2, 3].map((n) => h(Row, { n, key: n }))), h('div', { dangerouslySetInnerHTML: { __html: '<b>raw</b>' } }));
console.log(render(h(App)));
