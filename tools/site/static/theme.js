// Before anything is drawn: the colors that the reader has chosen, and that scripts run.
(function () {
  const root = document.documentElement;
  root.classList.add("scripted");
  try {
    const theme = localStorage.getItem("theme");
    if (theme) root.dataset.theme = theme;
  } catch (_) { /* no storage, so the system's colors */ }
})();
