// For an element with results: copies the text before a button, and shows what a term means. One listener serves all later content.
element.addEventListener('click', async (event) => {
  const saved = event.target.closest('button.page-of-results');
  if (saved) return window.segscores.download(saved);
  if (event.target.closest('button.report')) return window.segscores.report();
  const button = event.target.closest('button.copy');
  if (!button) return;
  const source = button.previousElementSibling;
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = 'Copied';
  } catch (error) {
    getSelection().selectAllChildren(source);
    button.textContent = 'Selected: copy it with your keyboard';
  }
});
// Escape hides a definition, as WCAG 1.4.13 requires.
element.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') document.activeElement?.closest('.term')?.blur();
});
