// What starts the report. It needs tables.js, words.js and utterances.js.
addEventListener('DOMContentLoaded', () => {
  startTables(document);
  startViewers();
  const button = document.getElementById('theme');
  const show = () => button.setAttribute('aria-pressed', String(root.classList.contains('dark')));
  prefersDark.addEventListener('change', show);
  button.addEventListener('click', () => {
    prefersDark.removeEventListener('change', followTheme);
    root.classList.toggle('dark');
    show();
  });
  show();
});
