import katex from 'katex';
console.log(katex.renderToString('\\int_0^\\infty \\frac{\\sqrt[3]{x^2}}{\\sum_{i=1}^n \\alpha_i} \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}', { displayMode: true }));
try { katex.renderToString('\\frac{1}'); } catch (error) { console.log(error.name, error.message); }
