/// A file of the page. They are written in the folder `Page` and built into the program, which may
/// be started from anywhere.
struct PageFile: Sendable {
  let contentType: String
  let content: [UInt8]

  /// By path.
  static let all: [String: PageFile] = [
    Page.path: html(PackageResources.page_html),
    "/practice/page.css": PageFile(
      contentType: "text/css; charset=utf-8", content: PackageResources.page_css),
    "/practice/icon.svg": PageFile(
      contentType: "image/svg+xml; charset=utf-8", content: PackageResources.icon_svg),
    "/practice/page.js": script(PackageResources.page_js),
    "/practice/device.js": script(PackageResources.device_js),
    "/practice/track.js": script(PackageResources.track_js),
    "/practice/sensor.js": script(PackageResources.sensor_js),
    "/practice/elements.js": script(PackageResources.elements_js),
  ]

  /// What the browser holds the page to: nothing from elsewhere, no script or style that is not a
  /// file of it, no text that becomes markup, and no frame around it.
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types 'none'"

  private static func html(_ content: [UInt8]) -> PageFile {
    PageFile(contentType: "text/html; charset=utf-8", content: content)
  }

  private static func script(_ content: [UInt8]) -> PageFile {
    PageFile(contentType: "text/javascript; charset=utf-8", content: content)
  }

  /// Never kept: the next practice home at this address may have another page.
  var response: Response {
    Response(
      status: 200, contentType: contentType, body: content, isUnstored: true,
      contentSecurityPolicy: Self.policy)
  }
}
