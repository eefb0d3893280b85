// What starts the report. It needs tables.js and utterances.js.
// Colours before anything is drawn; the rest once all is there.
const root = document.documentElement;
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
root.classList.add('scripted');
root.classList.toggle('dark', prefersDark.matches);

addEventListener('DOMContentLoaded', () => {
  handleTheme();
  for (const table of document.querySelectorAll('table.sortable')) makeSortable(table);
  for (const tools of document.querySelectorAll('[data-table]')) makeSearchable(tools);
  for (const viewer of document.querySelectorAll('.viewer')) makeViewer(viewer);
});

function handleTheme() {
  const button = document.getElementById('theme');
  const show = (dark) => {
    root.classList.toggle('dark', dark);
    button.setAttribute('aria-pressed', String(dark));
  };
  const follow = () => show(prefersDark.matches);
  follow();
  prefersDark.addEventListener('change', follow);
  button.addEventListener('click', () => {
    prefersDark.removeEventListener('change', follow);
    show(!root.classList.contains('dark'));
  });
}

