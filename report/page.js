// Draws what the sections of the page have left in #charts, by the id of the canvas.
"use strict";
(() => {
  const colours = {
    best: "#1769aa", plain: "#8d98a5", peer: "#c77d1e", twin: "#b9c2cb", variant: "#9cc3e0", line: "#58616b",
  };
  const kinds = { best: "best", plain: "plain loops", peer: "peers", variant: "variants" };
  const narrow = () => window.innerWidth < 600;
  const number = x => x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x >= 0.1 ? x.toFixed(2) : x.toPrecision(2);
  /// A label in lines of at most `most` letters, broken at blanks.
  const wrapped = (text, most) => {
    const lines = [];
    for (const word of text.split(" ")) {
      const last = lines.length - 1;
      if (last >= 0 && lines[last].length + 1 + word.length <= most) lines[last] += " " + word;
      else lines.push(word.length > 2 * most ? word.slice(0, 2 * most) + "\u2026" : word);
    }
    return lines;
  };
  const labelled = texts => texts.map(t => wrapped(t, narrow() ? 17 : 40));
  const title = text => ({ display: true, text });
  const plain_ticks = { callback: v => String(Number(Number(v).toPrecision(4))), maxRotation: 0, autoSkipPadding: 16 };
  /// Ticks of a logarithmic axis at 1, 2 and 5 only.
  const log_ticks = {
    maxRotation: 0,
    callback: v => [1, 2, 5].some(n => Math.abs(v / 10 ** Math.floor(Math.log10(v) + 1e-9) - n) < 1e-6) ? String(Number(v.toPrecision(3))) : "",
  };
  const height = (id, pixels) => { document.getElementById(id + "-box").style.height = pixels + "px"; };
  const draw = (id, config) => {
    config.options = Object.assign({ animation: false, responsive: true, maintainAspectRatio: false }, config.options);
    config.plugins = (config.plugins || []);
    return new Chart(document.getElementById(id), config);
  };
  const without_legend = { legend: { display: false } };

  /// The value behind each bar.
  const values_behind = {
    id: "values",
    afterDatasetsDraw(chart) {
      const { ctx } = chart;
      ctx.save();
      ctx.font = "12px sans-serif"; ctx.fillStyle = "#1c2024"; ctx.textBaseline = "middle";
      chart.getDatasetMeta(0).data.forEach((bar, i) => ctx.fillText(number(chart.data.datasets[0].data[i]), bar.x + 5, bar.y));
      ctx.restore();
    },
  };

  const draw_times = (id, d) => {
    height(id, 60 + 34 * d.ms.length);
    return draw(id, {
      type: "bar",
      data: { labels: labelled(d.labels), datasets: [{ data: d.ms, backgroundColor: d.of.map(k => colours[k]), maxBarThickness: 24 }] },
      options: {
        indexAxis: "y", plugins: without_legend, layout: { padding: { right: 48 } },
        scales: { x: { beginAtZero: true, title: title("ms"), ticks: plain_ticks }, y: { grid: { display: false }, ticks: { autoSkip: false } } },
      },
      plugins: [values_behind],
    });
  };

  const draw_roofline = (id, d) => {
    height(id, 400);
    const from = d.intensity / 4, to = d.intensity * 4;
    const lines = d.ceilings.map((c, i) => ({
      type: "line", label: c.name, data: [from, to].map(x => ({ x, y: x * c.gbs })), borderColor: i ? "#9aa5b1" : colours.line,
      borderDash: i ? [5, 4] : [], borderWidth: 1.5, pointRadius: 0, pointStyle: "line",
    }));
    const points = Object.keys(kinds).filter(k => d.points.some(p => p.of === k)).map(k => ({
      label: kinds[k], backgroundColor: colours[k], borderColor: k === "best" ? "#fff" : "transparent",
      pointRadius: k === "best" ? 7 : k === "variant" ? 3.5 : 5, pointStyle: k === "plain" || k === "peer" ? "rect" : "circle",
      data: d.points.filter(p => p.of === k).map(p => ({ x: d.intensity, y: p.gflops, name: p.name })),
    }));
    return draw(id, {
      type: "scatter",
      data: { datasets: points.concat(lines) },
      options: {
        plugins: {
          legend: { position: "bottom", align: "start", labels: { usePointStyle: true, boxWidth: 20, boxHeight: 7 } },
          tooltip: { callbacks: { label: c => c.raw.name ? wrapped(c.raw.name, 34).concat(number(c.raw.y) + " Gflop/s") : number(c.raw.y) } },
        },
        scales: {
          x: { type: "logarithmic", min: from, max: to, title: title("flops a byte"), ticks: log_ticks },
          y: { type: "logarithmic", title: title("Gflop/s"), ticks: log_ticks },
        },
      },
    });
  };

  const draw_progress = (id, d) => {
    height(id, 360);
    const at = v => ({ x: v.s, y: v.ms, name: v.name });
    const all = d.tried.map(v => v.ms), spread = Math.max(...all) / Math.min(...all);
    return draw(id, {
      type: "scatter",
      data: {
        datasets: [
          { type: "line", label: "best so far", data: d.best.map(at), stepped: true, borderColor: colours.best, backgroundColor: colours.best, borderWidth: 2, pointRadius: 0, pointStyle: "line" },
          { label: "variants", data: d.tried.filter(v => v.ok).map(at), backgroundColor: colours.variant, pointRadius: 3.5 },
          { label: "given up early", data: d.tried.filter(v => !v.ok).map(at), backgroundColor: "transparent", borderColor: colours.plain, pointRadius: 3 },
        ].filter(s => s.data.length),
      },
      options: {
        plugins: {
          legend: { position: "bottom", align: "start", labels: { usePointStyle: true, boxWidth: 20, boxHeight: 7 } },
          tooltip: { callbacks: { label: c => wrapped(c.raw.name || "", 34).concat(number(c.raw.y) + " ms") } },
        },
        scales: {
          x: { beginAtZero: true, title: title("seconds"), ticks: { maxRotation: 0 } },
          y: spread > 6 ? { type: "logarithmic", min: 0.9 * Math.min(...all), max: 1.1 * Math.max(...all), title: title("ms"), ticks: log_ticks } : { title: title("ms"), ticks: plain_ticks },
        },
      },
    });
  };

  const medians = {
    id: "medians",
    afterDatasetsDraw(chart, _, options) {
      const { ctx, scales } = chart;
      ctx.save();
      ctx.strokeStyle = "#1c2024"; ctx.lineWidth = 2;
      chart.getDatasetMeta(0).data.forEach((bar, i) => {
        const x = scales.x.getPixelForValue(options.at[i]);
        ctx.beginPath(); ctx.moveTo(x, bar.y - 9); ctx.lineTo(x, bar.y + 9); ctx.stroke();
      });
      ctx.restore();
    },
  };

  const draw_spread = (id, d, range) => {
    const labels = labelled(d.values.map(v => v.value + " (" + v.count + ")"));
    height(id, 52 + labels.length * Math.max(26, 6 + 15 * Math.max(...labels.map(lines => lines.length))));
    const set = (data, colour, thickness) => ({ data, backgroundColor: d.values.map(colour), grouped: false, barThickness: thickness, minBarLength: 2 });
    return draw(id, {
      type: "bar",
      data: {
        labels,
        datasets: [
          set(d.values.map(v => [v.lower, v.upper]), v => v.best ? colours.best : "#9aa5b1", 14),
          set(d.values.map(v => [v.least, v.most]), v => v.best ? "#bcd8ec" : "#dde2e7", 6),
        ],
      },
      options: {
        indexAxis: "y",
        plugins: {
          legend: { display: false }, medians: { at: d.values.map(v => v.median) },
          tooltip: { callbacks: { label: c => "median " + number(d.values[c.dataIndex].median) + " ms, " + c.raw.map(number).join(" to ") } },
        },
        scales: {
          x: Object.assign({ title: title("ms") }, range.most / range.least > 6
            ? { type: "logarithmic", min: range.least * 0.9, max: range.most * 1.1, ticks: log_ticks }
            : { min: 0, max: range.most * 1.02, ticks: plain_ticks }),
          y: {
            grid: { display: false }, ticks: { autoSkip: false },
            afterFit: scale => { scale.width = Math.max(scale.width, narrow() ? 96 : 140); },  // in line with the others
          },
        },
      },
      plugins: [medians],
    });
  };

  const charts = JSON.parse(document.getElementById("charts").textContent);
  const spreads = Object.values(charts).filter(c => c.kind === "spread").flatMap(c => c.values);
  const range = { least: Math.min(...spreads.map(v => v.least)), most: Math.max(...spreads.map(v => v.most)) };
  const kinds_drawn = { times: draw_times, roofline: draw_roofline, progress: draw_progress, spread: draw_spread };
  Chart.defaults.font.size = 12;
  Chart.defaults.color = "#1c2024";
  const drawn = Object.entries(charts).map(([id, d]) => kinds_drawn[d.kind](id, d, range));
  document.documentElement.dataset.drawn = drawn.length;

  // Charts are as wide as the paper.
  window.addEventListener("beforeprint", () => {
    for (const c of drawn) c.resize(Math.min(640, c.canvas.parentNode.clientWidth), c.canvas.parentNode.clientHeight);
  });
  window.addEventListener("afterprint", () => { for (const c of drawn) c.resize(); });
})();
