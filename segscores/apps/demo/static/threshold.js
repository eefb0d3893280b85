// Threshold: the slider stands on the axis of the chart, and a click on the chart sets λ too.
{
  const panel = panels.get('threshold');
  const slider = panel.form.elements.ratio;
  const [LEFT, WIDTH, WHOLE] = [44, 440, 500]; // of the chart's axis, as drawing.py has them
  const showRatio = () => { panel.form.querySelector('output').textContent = Number(slider.valueAsNumber.toFixed(4)); };
  slider.addEventListener('input', showRatio);
  shown.push((each) => {
    if (each !== panel) return;
    showRatio();
    const svg = panel.results.querySelector('.chart svg');
    svg.onclick = ({ clientX }) => {
      const { left, width } = svg.getBoundingClientRect();
      slider.value = ((clientX - left) / width * WHOLE - LEFT) / WIDTH;
      changed(panel);
    };
  });
}
