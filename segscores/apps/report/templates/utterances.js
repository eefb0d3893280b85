// The utterances of a prediction: searched, ordered, and shown a page at a time. It needs tables.js and words.js.

function makeViewer(viewer) {
  const { noun, score, joint } = viewer.dataset;
  const [first, total, page] = ['first', 'total', 'page'].map((name) => Number(viewer.dataset[name]));
  const [form, status, list] = [viewer.querySelector('form'), viewer.querySelector('.status'), viewer.querySelector('ol')];
  const [query, order, wrong, right, go, at] = ['.query', '.order', '.errors-only', '.right-in', '.go', '.start'].map((kind) => form.querySelector(kind));
  const [before, next] = ['.before', '.next'].map((kind) => viewer.querySelector(kind));
  const worst = viewer.rows = [...list.children, ...viewer.querySelector('template').content.children];
  const numberOf = (row) => Number(row.firstChild.textContent);
  const inText = [...worst].sort((left, right) => numberOf(left) - numberOf(right));
  const texts = new Map();
  let rows = worst;
  let start = 0;

  const searched = (row) => {
    if (!texts.has(row)) {
      const line = row.querySelector('[dir]');
      const words = ['+', '−'].map((own) => wordsOf(line, own).map((word) => wordText(word, joint)).join(joint ? ' | ' : ' '));
      texts.set(row, folded([wordText([...line.children], joint), ...words].join('\n')));
    }
    return texts.get(row);
  };
  const show = (from) => {
    start = Math.max(0, Math.min(from, Math.floor((rows.length - 1) / page) * page));
    const shown = rows.slice(start, start + page);
    list.replaceChildren(...shown);
    list.scrollTop = 0;
    at.value = start;
    before.setAttribute('aria-disabled', String(start === 0));
    next.setAttribute('aria-disabled', String(start + page >= rows.length));
    const kind = query.value.trim() ? `with “${query.value.trim()}”` : 'here';
    status.textContent = rows.length
      ? `${counted(start + 1)} to ${counted(start + shown.length)} of the ${counted(rows.length)} ${noun}s ${kind}.`
      : `No ${noun} ${kind}.`;
  };
  const search = (from = 0) => {
    const wanted = folded(query.value.trim());
    const ordered = order.value === 'text' ? inText : worst;
    const others = right?.value && [...document.querySelectorAll('.viewer')].find(({ dataset }) => dataset.name === right.value).rows;
    const other = others && new Map(others.map((row) => [numberOf(row), row.querySelector('[dir]')]));
    const isRightInOther = (row) => other.has(numberOf(row)) && isRightAndWrong(other.get(numberOf(row)), row.querySelector('[dir]'));
    rows = ordered.filter((row) => (!wanted || searched(row).includes(wanted)) && (!wrong.checked || row.querySelector('.off')) && (!other || isRightInOther(row)));
    show(from);
  };
  const goTo = (number) => {
    const last = first + total - 1;
    if (!(Number.isInteger(number) && number >= first && number <= last)) {
      status.textContent = `There is no ${noun} ${number}: expected one from ${first} to ${counted(last)}.`;
      return;
    }
    const index = inText.findIndex((row) => numberOf(row) === number);
    if (index < 0) {
      status.textContent = `The report leaves out ${noun} ${number}: it has the ${counted(worst.length)} of ${counted(total)} ${noun}s with the worst ${score}.`;
      return;
    }
    query.value = '';
    order.value = 'text';
    wrong.checked = false;
    search();
    show(Math.floor(index / page) * page);
    const item = list.children[index - start];
    item.tabIndex = -1;
    item.focus({ preventScroll: true });
    list.scrollTop = item.offsetTop;
    list.scrollIntoView({ block: 'nearest' });
  };

  for (const field of [query, order, wrong, right]) field?.addEventListener('input', () => search());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (go.value) goTo(go.valueAsNumber);
    else go.focus();
  });
  before.addEventListener('click', () => start > 0 && show(start - page));
  next.addEventListener('click', () => start + page < rows.length && show(start + page));
  // A word of the table of wrong words shows the utterances that have it.
  for (const cell of viewer.closest('section').querySelectorAll('[id^=words-table] tbody th')) {
    const button = Object.assign(element('button', ''), { type: 'button', title: `Show the ${noun}s with this word` });
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
  search(Number(at.value));
}

// Starts the viewers of the page.
function startViewers() {
  for (const viewer of document.querySelectorAll('.viewer')) makeViewer(viewer);
}
