// What starts the report. It needs tables.js and utterances.js.
addEventListener('DOMContentLoaded', () => {
  startTools(document);
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
