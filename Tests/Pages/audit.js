// What a checker of accessibility looks for, on the page as it is shown. Returns a list of complaints.
const complaints = [];
const say = (element, text) => complaints.push(`${element.tagName.toLowerCase()}${element.id ? '#' + element.id : ''}` +
  `${element.className && element.className.baseVal === undefined ? '.' + element.className : ''} ` +
  `"${(element.textContent || '').trim().slice(0, 40)}": ${text}`);
const isShown = (element) => {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  return box.width > 1 && box.height > 1 && style.visibility !== 'hidden' && style.display !== 'none';
};

// Language, title, landmarks
if (!document.documentElement.lang) complaints.push('html has no lang');
if (!document.title.trim()) complaints.push('no title');
for (const landmark of ['header', 'main', 'footer'])
  if (document.querySelectorAll(`body > ${landmark}`).length !== 1) complaints.push(`not one ${landmark}`);
if (document.querySelectorAll('h1').length !== 1) complaints.push('not one h1');

// Headings in order
let level = 0;
for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
  const own = Number(heading.tagName[1]);
  if (own > level + 1) say(heading, `h${own} after h${level}`);
  level = own;
}

// Each id once, and what refers to one finds it
const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) complaints.push(`id ${id} twice`);
for (const name of ['aria-labelledby', 'aria-describedby', 'for', 'aria-controls'])
  for (const element of document.querySelectorAll(`[${name}]`))
    for (const id of element.getAttribute(name).split(/\s+/))
      if (!document.getElementById(id)) say(element, `${name} names ${id}, which is not there`);

// A name for every control
for (const control of document.querySelectorAll('input:not([type=hidden]), select, textarea, button, a[href], summary')) {
  const own = (control.textContent || '').trim() || control.getAttribute('aria-label') || '';
  const labels = [...(control.labels || [])].map((label) => label.textContent.trim()).join('');
  const named = control.matches('input, select, textarea') ? labels || control.getAttribute('aria-label') : own;
  if (!named) say(control, 'has no name');
}
for (const image of document.querySelectorAll('img')) if (!image.hasAttribute('alt')) say(image, 'has no alt');
for (const picture of document.querySelectorAll('svg'))
  if (picture.getAttribute('role') === 'img' ? !picture.querySelector('title') : picture.getAttribute('aria-hidden') !== 'true')
    say(picture, 'neither described nor hidden');
const names = [...document.querySelectorAll('a[href]')].map((link) => [link.textContent.trim(), link.href]);
for (const [name, href] of names)
  if (names.some(([other, there]) => other === name && there !== href)) complaints.push(`two links "${name}" lead apart`);

// Tables say what their columns are
for (const table of document.querySelectorAll('table'))
  if (!table.querySelector('th[scope=col]')) say(table, 'has no column heads');

// No script, no inline style
if (document.querySelector('script')) complaints.push('a script');
if (document.querySelector('[style]')) complaints.push('an inline style');

// Targets of 44 pixels; links within a sentence may be smaller
for (const target of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')) {
  if (!isShown(target) || (target.matches('a') && target.closest('p, td, dd') && !target.matches('.button'))) continue;
  const box = target.getBoundingClientRect();
  if (box.height < 43.5 || box.width < 43.5) say(target, `is ${Math.round(box.width)} x ${Math.round(box.height)}`);
}

// Contrast (WCAG 2, AA) of what is written, against what is behind it
const parse = (text) => {
  const parts = text.match(/[\d.]+%?/g).map((part) => Number.parseFloat(part));
  const scale = text.startsWith('color(') ? 255 : 1;
  return { r: parts[0] * scale, g: parts[1] * scale, b: parts[2] * scale, a: parts.length > 3 ? parts[3] : 1 };
};
const over = (top, below) => ({
  r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
  b: top.b * top.a + below.b * (1 - top.a), a: 1,
});
const luminance = ({ r, g, b }) => {
  const [x, y, z] = [r, g, b].map((part) => part / 255).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const contrast = (one, other) => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const ground = (element) => {
  const layers = [];
  for (let node = element; node; node = node.parentElement) layers.push(parse(getComputedStyle(node).backgroundColor));
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  return layers.reverse().reduce((below, top) => over(top, below), dark ? { r: 18, g: 18, b: 18, a: 1 } : { r: 255, g: 255, b: 255, a: 1 });
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let least = 21;
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.textContent.trim() || !isShown(element) || element.closest('.hidden, title, desc')) continue;
  const style = getComputedStyle(element);
  const inPicture = element.closest('svg');
  const behind = ground(inPicture ? inPicture.parentElement : element);
  const found = contrast(over(parse(inPicture ? style.fill : style.color), behind), behind);
  const size = Number.parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  least = Math.min(least, found);
  if (found < (isLarge ? 3 : 4.5)) say(element, `contrast ${found.toFixed(2)}`);
}
// The edges of fields (WCAG 2, 1.4.11)
for (const field of document.querySelectorAll('input:not([type=hidden]), select')) {
  if (!isShown(field)) continue;
  const found = contrast(parse(getComputedStyle(field).borderTopColor), ground(field.parentElement));
  if (found < 3) say(field, `edge contrast ${found.toFixed(2)}`);
}

// Nothing wider than the window
if (document.documentElement.scrollWidth > window.innerWidth)
  complaints.push(`${document.documentElement.scrollWidth} wide in a window of ${window.innerWidth}`);

return complaints;
