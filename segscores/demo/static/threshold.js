// Threshold: the slider stands on the axis of the chart; the pointer on the chart reads the values there, and a click sets λ.
{
  const panel = panels.get('threshold');
  const slider = panel.form.elements.ratio;
  const told = panel.form.querySelector('output');
  const [LEFT, WIDTH, WHOLE] = [44, 440, 500]; // of the chart's axis, as drawing.py has them
  const short = (share) => String(Number(share.toFixed(4)));
  const shareAt = (chart, { clientX }) => {
    const { left, width } = chart.querySelector('svg').getBoundingClientRect();
    return Math.min(1, Math.max(0, ((clientX - left) / width * WHOLE - LEFT) / WIDTH));
  };
  const showRatio = () => { told.textContent = short(slider.valueAsNumber); };
  slider.addEventListener('input', showRatio);
  const over = ({ target }) => target.closest?.('svg.curves')?.closest('.chart');

  panel.results.addEventListener('pointermove', (event) => {
    const chart = over(event);
    if (!chart) return;
    const points = chart.points ??= JSON.parse(chart.dataset.points);
    const share = shareAt(chart, event);
    const { ratio } = points;
    const at = ratio.reduce((best, each, index) => (Math.abs(each - share) < Math.abs(ratio[best] - share) ? index : best), 0);
    const line = chart.querySelector('.pointer') ?? chart.querySelector('svg').appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'path'));
    line.setAttribute('class', 'grid pointer');
    line.setAttribute('d', `M${LEFT + WIDTH * ratio[at]} 12v260`);
    const values = chart.querySelector('.values');
    values.dataset.own ??= values.innerHTML;
    values.replaceChildren(`λ = ${short(ratio[at])}, ${points.threshold[at] === null ? 'no boundary' : `from a score of ${points.threshold[at]}`}`);
    for (const [name, [value]] of Object.entries(points).slice(2).map(([name, all]) => [name, [all[at]]])) {
      values.append(` · ${name} `, element('strong', value === null ? '–' : value.toFixed(4)));
    }
  });
  panel.results.addEventListener('pointerout', (event) => {
    const chart = over(event);
    if (!chart || chart.contains(event.relatedTarget)) return;
    const values = chart.querySelector('.values');
    if (values.dataset.own) values.innerHTML = values.dataset.own;
    chart.querySelector('.pointer')?.remove();
  });
  panel.results.addEventListener('click', (event) => {
    const chart = over(event);
    if (!chart) return;
    slider.value = shareAt(chart, event);
    changed(panel);
  });
  parts.results.push((shown) => { if (shown === panel) showRatio(); });
}
