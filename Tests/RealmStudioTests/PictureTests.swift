// SPDX-License-Identifier: Apache-2.0

// The pictures of Documentation/Studio.md, which REALM_STUDIO_PICTURES=FOLDER makes again.

#if Tools
import Foundation
import RealmBrowserSupport
import Testing

@testable import RealmStudio

private let pictureFolder = ProcessInfo.processInfo.environment["REALM_STUDIO_PICTURES"]

@Suite(
  .enabled(
    if: Browser.isInstalled && pictureFolder != nil,
    "pictures are made with a browser and REALM_STUDIO_PICTURES=Documentation/Studio"))
struct PictureTests {
  private func save(_ name: String, _ browser: Browser) async throws {
    // What flashed is still again.
    try await browser.wait("document.getAnimations().length === 0")
    let picture = try await browser.screenshot()
    #expect((10_000..<200_000).contains(picture.count), "\(name): \(picture.count) bytes")
    let folder = URL(fileURLWithPath: try #require(pictureFolder))
    try picture.write(to: folder.appendingPathComponent("\(name).png"))
  }

  @Test func aNarrowWindow() async throws {
    let studio = try await RunningStudio { try SampleFile.makePeople($0, count: 400) }
    let browser = try await Browser(width: 800, height: 800)
    try await browser.open(studio.address)
    try await browser.click("nav a[data-class=Person]")
    try await browser.wait("document.querySelector('#cell-7-2')")
    try await browser.click("#begin")
    try await browser.wait("document.querySelector('#commit')")
    try await browser.click("#cell-4-2")
    try await browser.wait("document.querySelector('#inspector h2')?.innerText === 'Emil'")
    try await browser.point(at: "#cell-3-2")
    try await save("narrow-light", browser)
    try await browser.fill("#query", "agee > 3")
    try await browser.press(.enter)
    try await browser.wait("document.querySelector('#grid.dimmed')")
    try await save("mistake-light", browser)
    try await browser.close()
    try await studio.end()
  }

  @Test func picturesAreSmall() async throws {
    let studio = try await RunningStudio { try SampleFile.makePeople($0, count: 400) }
    let browser = try await Browser(width: 1280, height: 800)
    try await browser.open(studio.address)
    try await browser.click("nav a[data-class=Person]")
    try await browser.wait("document.querySelector('#cell-7-2')")
    try await browser.click("#cell-6-2")
    try await browser.wait("document.querySelector('#inspector h2')")
    try await save("table-light", browser)
    try await browser.click("#begin")
    try await browser.wait("document.querySelector('#commit')")
    try await browser.click("#cell-2-3")
    try await browser.press(.f2)
    try await browser.type("64")
    try await browser.press(.enter)
    try await browser.wait("document.querySelector('#cell-2-3').innerText === '64'")
    try await browser.click("[data-chart=height]")
    try await browser.wait("document.querySelectorAll('#chart rect').length === 40")
    try await save("editing-light", browser)
    try await browser.click("#cancel")
    try await browser.click("#theme")
    try await browser.click("#theme")
    try await browser.click("#diagram-toggle")
    try await browser.wait("document.querySelector('#diagram .box')")
    try await save("schema-dark", browser)
    try await browser.click("#diagram-toggle")
    try await browser.click("#query")
    try await browser.type("friends.@count > 2 AND home.")
    try await browser.wait("document.querySelectorAll('#completions li').length === 2")
    try await save("query-dark", browser)
    try await browser.close()
    try await studio.end()
  }
}
#endif
