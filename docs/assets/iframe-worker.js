// Browsers start no workers from pages that are opened as files. There the search runs in a hidden frame instead.
// Pages that come from a server are left alone.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      const waiting = []
      this.postMessage = message => waiting.push(message)
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.title = "search"
      const start = () => {
        const inside = frame.contentWindow
        inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
        const script = inside.document.createElement("script")
        script.src = new URL(address, location.href)
        script.onload = () => {
          this.postMessage = data => inside.dispatchEvent(new MessageEvent("message", { data }))
          waiting.splice(0).forEach(this.postMessage)
        }
        inside.document.head.append(script)
      }
      frame.addEventListener("load", start, { once: true })
      document.body.append(frame)
    }
    terminate() {}
  }
}
