// Copies what stands before a button; one listener serves whatever the element shows later.
element.addEventListener('click', async (event) => {
  const button = event.target.closest('button.copy');
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = 'Copied';
  } catch (error) {
    getSelection().selectAllChildren(button.previousElementSibling);
    button.textContent = 'Selected: copy it with your keyboard';
  }
});
