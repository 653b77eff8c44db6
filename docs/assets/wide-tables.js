// Tables that are wider than the page scroll by themselves; those that do can be reached with the keyboard.
const mark = () =>
  document.querySelectorAll(".md-typeset__scrollwrap").forEach(frame => {
    if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0
    else frame.removeAttribute("tabindex")
  })
addEventListener("load", mark)
addEventListener("resize", mark)
