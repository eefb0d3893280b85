'use strict';
// Tables that are sorted and searched, and what every script of a page needs.
const root = document.documentElement;
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => root.classList.toggle('dark', prefersDark.matches);
prefersDark.addEventListener('change', followTheme);
// Before anything is drawn.
followTheme();
root.classList.add('scripted');

const folded = (text) => text.normalize('NFC').toLowerCase();
const counted = (count) => count.toLocaleString('en');

function makeSortable(table) {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    if (!header.dataset.sort) return;
    const button = Object.assign(element('button', ''), { type: 'button' });
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener('click', () => {
      const was = header.getAttribute('aria-sort');
      const first = header.dataset.sort === 'number' ? 'descending' : 'ascending';
      const order = was === null ? first : was === 'ascending' ? 'descending' : 'ascending';
      for (const other of headers) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', order);
      const sign = order === 'ascending' ? 1 : -1;
      const body = table.tBodies[0];
      const rows = [...body.rows].map((row) => [valueOf(row.cells[column], header.dataset.sort), row]);
      rows.sort(([left], [right]) => {
        // What is undefined comes last in either order.
        if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) - Number.isNaN(right);
        return sign * (typeof left === 'number' ? left - right : compare(left, right));
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}

function valueOf(cell, kind) {
  if (kind === 'text') return cell.textContent;
  return parseFloat(cell.firstChild ? cell.firstChild.textContent.replaceAll(',', '').replace('−', '-') : '');
}

function makeSearchable(tools) {
  const table = document.getElementById(tools.dataset.table);
  const [input, select, status] = ['input', 'select', '[role=status]'].map((kind) => tools.querySelector(kind));
  const search = () => {
    const query = folded(input.value.trim());
    const kind = select?.value;
    let found = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = (kind && row.dataset.class !== kind) || (query && !folded(row.textContent).includes(query));
      found += !row.hidden;
    }
    status.textContent = query || kind ? `${counted(found)} of ${counted(table.tBodies[0].rows.length)} rows` : '';
  };
  for (const field of [input, select]) field?.addEventListener('input', search);
  // A browser that comes back to the page may have kept what was typed.
  search();
}

function element(name, text, kind) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  made.append(text);
  return made;
}

// Starts the tables of a page, or of a part of it, that are new in it.
const started = new WeakSet();
function startTables(part) {
  for (const [selector, start] of [['table.sortable', makeSortable], ['[data-table]', makeSearchable]]) {
    for (const each of part.querySelectorAll(selector)) {
      if (!started.has(each)) start(each);
      started.add(each);
    }
  }
}
