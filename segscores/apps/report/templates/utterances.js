// The utterances of a prediction: searched, ordered, and drawn a page at a time. It needs tables.js.

function makeViewer(viewer) {
  const data = JSON.parse(viewer.nextElementSibling.textContent);
  const [form, status, list] = [viewer.querySelector('form'), viewer.querySelector('.status'), viewer.querySelector('ol')];
  const [query, order, wrong, go] = ['.query', '.order', '.errors-only', '.go'].map((kind) => form.querySelector(kind));
  const [before, next] = ['.before', '.next'].map((kind) => viewer.querySelector(kind));
  const inText = [...data.rows].sort((left, right) => left[0] - right[0]);
  const texts = new Map();
  let rows = data.rows;
  let start = 0;

  const textOf = (row) => {
    if (!texts.has(row)) {
      const joint = data.separator ? ' | ' : ' ';
      const words = ['+', '−'].map((own) => wordsOf(row, own, data.separator).map(([word]) => word).join(joint));
      texts.set(row, folded([row[2].join(data.separator), ...words].join('\n')));
    }
    return texts.get(row);
  };
  const show = (from) => {
    start = Math.max(0, Math.min(from, Math.floor((rows.length - 1) / data.page) * data.page));
    const shown = rows.slice(start, start + data.page);
    list.replaceChildren(...shown.map((row) => drawUtterance(row, data)));
    list.scrollTop = 0;
    before.setAttribute('aria-disabled', String(start === 0));
    next.setAttribute('aria-disabled', String(start + data.page >= rows.length));
    const kind = query.value.trim() ? `with “${query.value.trim()}”` : 'here';
    status.textContent = rows.length
      ? `${counted(start + 1)} to ${counted(start + shown.length)} of the ${counted(rows.length)} ${data.noun}s ${kind}.`
      : `No ${data.noun} ${kind}.`;
  };
  const search = () => {
    const wanted = folded(query.value.trim());
    const ordered = order.value === 'text' ? inText : data.rows;
    rows = ordered.filter((row) => (!wanted || textOf(row).includes(wanted)) && (!wrong.checked || [...row[3]].some((mark) => mark !== '|')));
    show(0);
  };
  const goTo = (number) => {
    const last = data.first + data.total - 1;
    if (!(Number.isInteger(number) && number >= data.first && number <= last)) {
      status.textContent = `There is no ${data.noun} ${number}: expected one from ${data.first} to ${counted(last)}.`;
      return;
    }
    const index = inText.findIndex((row) => row[0] === number);
    if (index < 0) {
      status.textContent = `The report leaves out ${data.noun} ${number}: it has the ${counted(data.rows.length)} of ` +
        `${counted(data.total)} ${data.noun}s with the worst ${data.score}.`;
      return;
    }
    query.value = '';
    order.value = 'text';
    wrong.checked = false;
    search();
    show(Math.floor(index / data.page) * data.page);
    const item = list.children[index - start];
    item.tabIndex = -1;
    item.focus({ preventScroll: true });
    list.scrollTop = item.offsetTop;
    list.scrollIntoView({ block: 'nearest' });
  };

  query.addEventListener('input', search);
  order.addEventListener('change', search);
  wrong.addEventListener('change', search);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (go.value) goTo(go.valueAsNumber);
    else go.focus();
  });
  before.addEventListener('click', () => start > 0 && show(start - data.page));
  next.addEventListener('click', () => start + data.page < rows.length && show(start + data.page));
  // A word of the table of wrong words shows the utterances that have it.
  for (const cell of viewer.closest('section').querySelectorAll('[id^=words-table] tbody th')) {
    const button = Object.assign(element('button', ''), { type: 'button', title: `Show the ${data.noun}s with this word` });
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener('click', () => {
      query.value = cell.textContent.replace(/^◌/u, '');
      search();
      viewer.scrollIntoView({ block: 'nearest' });
    });
  }
  for (const link of viewer.closest('section').querySelectorAll('a[data-go]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      goTo(Number(link.dataset.go));
    });
  }
  search();
}

// The words of one side, each with whether both sides have it: its own mark, besides '|', ends one.
function wordsOf([, , segments, marks], own, separator) {
  const words = [];
  let parts = [];
  let whole = true;
  segments.forEach((segment, index) => {
    const mark = marks[index] ?? '|';
    parts.push(segment);
    whole = whole && (marks[index - 1] ?? '|') === '|' && mark === '|';
    if (mark !== '|' && mark !== own) return;
    words.push([parts.join(separator), whole]);
    [parts, whole] = [[], true];
  });
  return words;
}

// As the drawings of the metric are: text becomes text nodes, never markup.
function drawUtterance(row, data) {
  // Of several files an utterance has its place in one too.
  const [number, score, segments, marks, place] = row;
  const item = document.createElement('li');
  const line = element('span', '');
  line.dir = 'auto';
  segments.slice(0, data.segmentsDrawn).forEach((segment, index) => {
    const isFound = (marks[index - 1] ?? '|') === '|' && (marks[index] ?? '|') === '|';
    line.append(element('b', withStand(segment), isFound ? '' : 'off'));
    if (index < marks.length) line.append(element('i', marks[index], { '+': 'missed', '−': 'wrong' }[marks[index]]));
  });
  const more = segments.length - data.segmentsDrawn;
  if (more > 0) line.append(` … and ${counted(more)} more segments`);
  const summary = element('small', `${place ? `${place}; ` : ''}${data.score} ${score}; `);
  appendSummary(summary, row, data);
  item.append(element('span', String(number), 'place'), line, summary);
  return item;
}

function appendSummary(summary, row, data) {
  const reference = wordsOf(row, '+', data.separator);
  const missed = reference.filter(([, found]) => !found);
  const total = reference.length;
  if (!total) summary.append('blank');
  else if (!missed.length) summary.append(total > 1 ? `all ${total} words found` : 'its word found');
  else {
    summary.append(`${total - missed.length} of ${total} words found`);
    appendWords(summary, 'missed', missed, data);
    appendWords(summary, 'wrong', wordsOf(row, '−', data.separator).filter(([, found]) => !found), data);
  }
}

function appendWords(summary, title, words, data) {
  if (!words.length) return;
  words.slice(0, data.wordsNamed).forEach(([word], index) => {
    summary.append(index ? ', ' : `; ${title}: `, element('bdi', withStand([...word].slice(0, 60).join(''))));
  });
  if (words.length > data.wordsNamed) summary.append(` and ${counted(words.length - data.wordsNamed)} more`);
}

// A combining character at the beginning gets a circle to stand on.
function withStand(text) {
  return /^\p{M}/u.test(text) ? `◌${text}` : text;
}

// Starts the tables and the viewers of a page, or of a part of it.
function startTools(part) {
  for (const table of part.querySelectorAll('table.sortable')) makeSortable(table);
  for (const tools of part.querySelectorAll('[data-table]')) makeSearchable(tools);
  for (const viewer of part.querySelectorAll('.viewer')) makeViewer(viewer);
}
