// SPDX-License-Identifier: Apache-2.0

// The page in a real, headless Chromium. Where there is none, the tests say that they are skipped.

#if Tools
import Foundation
import RealmBrowserSupport
import RealmFormats
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStudio

@Suite(
  .serialized,
  .enabled(
    if: Browser.isInstalled,
    "no browser: install chromium and chromedriver (Debian: chromium, chromium-driver)"))
struct BrowserTests {
  /// The texts of a column, from top to bottom.
  func column(_ name: String, _ browser: Browser) async throws -> [String] {
    let script = """
      [...document.querySelectorAll('#grid .row:not(.head)')]
        .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
        .map((row) => row.querySelector('[data-name="\(name)"]').innerText)
      """
    return try #require(try await browser.evaluate(script).array).compactMap(\.string)
  }

  func withPage(
    isWritable: Bool = true, width: Int = 1400, height: Int = 860,
    make: (String) throws -> Void = { try SampleFile.makePeople($0) },
    _ body: (Browser, RunningStudio) async throws -> Void
  ) async throws {
    let studio = try await RunningStudio(isWritable: isWritable, make: make)
    let browser = try await Browser(width: width, height: height)
    try await browser.open(studio.address)
    do { try await body(browser, studio) } catch {
      try? await browser.close()
      try? await studio.end()
      throw error
    }
    try await browser.close()
    try await studio.end()
  }

  /// The class whose table is shown, and a cell of it.
  func choose(_ name: String, _ browser: Browser) async throws {
    try await browser.click("nav a[data-class='\(name)']")
    try await browser.wait(
      "document.querySelector('.query-name').textContent === '\(name)' "
        + "&& document.querySelector('#grid .row:not(.head)')")
  }

  private static func shows(_ text: String) -> String {
    "document.getElementById('grid').innerText.includes(\(Browser.quoted(text)))"
  }

  @Test func itOpensSortsAndKeepsTheTokenToItself() async throws {
    try await withPage { browser, _ in
      try await choose("Person", browser)
      try await expectEqual(browser.text("location.href").contains("token"), false)
      try await expectEqual(browser.text("document.cookie"), "")
      try await expectEqual(column("name", browser), SampleFile.names)
      try await browser.click("[role=columnheader][data-name=name]")
      try await browser.wait("document.querySelector('[aria-sort=ascending]')")
      try await browser.click("[role=columnheader][data-name=name]")
      try await browser.wait(
        "document.querySelector('[aria-sort=descending]') "
          + "&& document.querySelector('#cell-0-2').innerText === 'Hugo'")
      try await expectEqual(column("name", browser), SampleFile.names.reversed())
      try await expectEqual(browser.text("document.querySelector('#grid').ariaRowCount"), "9")
    }
  }

  @Test func queriesAreCompletedRunAndMarkedAtTheirMistake() async throws {
    try await withPage { browser, _ in
      try await choose("Person", browser)
      try await browser.click("#query")
      try await browser.type("ag")
      try await browser.wait("document.querySelector('#completions li[aria-selected=true]')")
      try await browser.press(.tab)
      try await browser.wait("document.querySelector('#query').value === 'age '")
      #expect(
        try await browser.text(
          "[...document.querySelectorAll('#completions li')].map((li) => li.firstChild.data).join()"
        ).hasPrefix("==,!=,<"))
      try await browser.press(.escape)
      try await browser.type("> 40")
      try await browser.press(.enter)
      try await browser.wait("document.querySelector('#total').textContent === '3'")
      try await expectEqual(column("name", browser), ["Finn", "Gita", "Hugo"])
      try await browser.fill("#query", "age > 40 AND nme == 3")
      try await browser.press(.enter)
      try await browser.wait("!document.querySelector('#query-error').hidden")
      try await expectEqual(
        browser.text("document.querySelector('#query-error pre').dataset.column"), "14")
      try await expectEqual(
        browser.text("document.querySelector('#query-error mark').innerText"), "n")
      // Back to the query that is one.
      try await browser.evaluate("history.back()")
      try await browser.wait("document.querySelector('#query-error').hidden")
      try await expectEqual(browser.text("document.querySelector('#query').value"), "age > 40")
    }
  }

  @Test func linksAreFollowedBackAndForthWithTheKeyboardAlone() async throws {
    try await withPage { browser, _ in
      try await choose("Dog", browser)
      try await browser.type("t")
      try await browser.press(.right, .right, .right, .down)
      try await browser.press(.enter)
      try await browser.wait("document.querySelector('#inspector h2')?.innerText === 'Bela'")
      try await browser.wait("document.querySelector('.query-name').textContent === 'Person'")
      try await browser.wait(
        "document.querySelector('.row[aria-selected=true]')?.innerText.includes('Bela')")
      try await browser.press(.left, holding: [.alt])
      try await browser.wait("document.querySelector('.query-name').textContent === 'Dog'")
      try await browser.press(.right, holding: [.alt])
      try await browser.wait("document.querySelector('#inspector h2')?.innerText === 'Bela'")
      #expect(
        try await browser.text("document.querySelector('.backlinks').innerText").contains("Fido"))
    }
  }

  @Test func editsAreMadeUndoneAndCommitted() async throws {
    try await withPage { browser, studio in
      try await choose("Person", browser)
      try await browser.click("#begin")
      try await browser.wait("document.querySelector('#commit')")
      try await browser.click("#cell-0-2")
      try await browser.press(.f2)
      try await browser.wait("document.querySelector('#cell-0-2 input')")
      try await browser.type("Anna <b>")
      try await browser.press(.enter)
      try await browser.wait("document.querySelector('#cell-0-2').innerText === 'Anna <b>'")
      try await browser.wait("document.querySelector('#inspector h2')?.innerText === 'Anna <b>'")
      try await browser.type("z", holding: [.control])
      try await browser.wait("document.querySelector('#cell-0-2').innerText === 'Ada'")
      try await browser.type("Z", holding: [.control, .shift])
      try await browser.wait("document.querySelector('#cell-0-2').innerText === 'Anna <b>'")
      try await browser.click("[data-property=tags] [aria-label='Add to tags']")
      try await browser.type("quick")
      try await browser.press(.enter)
      try await browser.wait(
        "document.querySelector('[data-property=tags]').innerText.includes('quick')")
      try await browser.click("#commit")
      try await browser.wait("document.querySelector('#begin')")
      try SampleFile.write(studio.path) { group in
        let table = try #require(try group.table(named: "class_Person"))
        let row = try #require(try table.findRow(primaryKey: 1)?.row)
        try expectEqual(row.value(of: table.named("name")), .string("Anna <b>"))
        try expectEqual(row.value(of: table.named("tags")), .list([.string("quick")]))
      }
    }
  }

  @Test func commitsOfAnotherProcessAppearAndFlash() async throws {
    let other = try SecondProcess()
    // The second process makes the file, so that its class is there from the beginning.
    let folder = try TemporaryDirectory()
    try await other.ask("open \(folder.file("counter.realm"))")
    try await other.ask("add 1 10")
    try await withPage(
      isWritable: false,
      make: { try FileManager.default.copyItem(atPath: folder.file("counter.realm"), toPath: $0) }
    ) { browser, studio in
      try await other.ask("open \(studio.path)")
      try await choose("SharedCounter", browser)
      try await browser.wait(Self.shows("value"))
      try await browser.evaluate(
        """
        new MutationObserver((changes) => { for (const change of changes) {
          for (const node of change.addedNodes) {
            if (node.querySelector?.('.flash')) document.body.dataset.flashed = 'true';
            if (node.classList?.contains('fresh')) document.body.dataset.fresh = 'true';
          }
        } }).observe(document.getElementById('grid'), { childList: true, subtree: true })
        """)
      try await other.ask("increment 1 1")
      try await browser.wait("document.querySelector('#cell-0-2').innerText === '11'")
      try await expectEqual(browser.text("document.body.dataset.flashed"), "true")
      try await expectEqual(browser.evaluate("document.body.dataset.fresh ?? null"), .null)
      try await other.ask("add 2 77")
      try await browser.wait("document.querySelector('#cell-1-2')?.innerText === '77'")
      try await expectEqual(browser.text("document.body.dataset.fresh"), "true")
      #expect(
        try await browser.text("document.querySelector('nav a[aria-current]').innerText")
          .contains("2"))
    }
  }

  @Test func theSchemaIsADiagramAndNumbersHaveCharts() async throws {
    try await withPage { browser, _ in
      try await choose("Person", browser)
      try await browser.click("[data-chart=age]")
      try await browser.wait("document.querySelectorAll('#chart rect').length === 40")
      try await browser.click("#chart rect[height]:not([height='0'])")
      try await browser.wait("document.querySelector('#query').value.startsWith('age >= 20')")
      try await browser.type("d")
      try await browser.wait("document.querySelectorAll('#diagram .box').length === 3")
      // Person has four links within the diagram, Dog one.
      try await expectEqual(browser.text("document.querySelectorAll('#diagram .edge').length"), "5")
      try await browser.click("#diagram .box[data-class=Dog] .name")
      try await browser.wait("document.querySelector('.query-name').textContent === 'Dog'")
    }
  }

  @Test func themesFollowTheSystemAndTheSwitch() async throws {
    try await withPage { browser, _ in
      try await expectEqual(browser.text("document.documentElement.dataset.theme"), "light")
      try await browser.click("#theme")
      try await browser.click("#theme")
      try await expectEqual(browser.text("document.documentElement.dataset.theme"), "dark")
      try await expectEqual(browser.text("localStorage.theme"), "dark")
    }
  }

  /// The page asks for pages of a hundred rows; what a window costs is printed, not asserted.
  @Test func aMillionRowsAreScrolledFilteredAndSorted() async throws {
    let count = Int(ProcessInfo.processInfo.environment["REALM_STUDIO_ROWS"] ?? "") ?? 1_000_000
    try await withPage(make: { try SampleFile.makeReadings($0, count: count) }) { browser, _ in
      try await choose("Reading", browser)
      try await browser.wait("document.querySelector('#total').textContent.length > 6")
      var figures = ["first window: \(try await time(browser))"]
      try await browser.click("#cell-0-1")
      try await browser.press(.end, holding: [.control])
      try await browser.wait("document.querySelector('#cell-\(count - 1)-1')?.innerText > ''")
      try await expectEqual(
        browser.text("document.querySelector('#cell-\(count - 1)-1').innerText"),
        "\(count - 1)")
      figures.append("last window: \(try await time(browser))")
      #expect(
        try await browser.evaluate("document.querySelectorAll('#grid .row').length").integer ?? 0
          < 100)
      try await browser.click("[role=columnheader][data-name=value]")
      try await browser.wait("document.querySelector('[aria-sort=ascending]')")
      // The chosen object is shown where it is now: that need not be among the first.
      try await browser.wait(
        "document.querySelector('#grid .row[aria-selected=true] .right')?.innerText > ''")
      figures.append("sorting: \(try await time(browser))")
      try await browser.evaluate("document.querySelector('#grid').scrollTop = 4000000")
      try await browser.wait(
        "document.querySelector('.row:nth-child(20) .right')?.innerText > ''")
      figures.append("window of it: \(try await time(browser))")
      try await browser.fill("#query", "name == 'sensor 7'")
      try await browser.press(.enter)
      try await browser.wait("document.querySelector('#total').textContent.length < 5")
      figures.append("filtering: \(try await time(browser))")
      print("Studio, \(count) rows: \(figures.joined(separator: ", "))")
    }
  }

  private func time(_ browser: Browser) async throws -> String {
    try await browser.text("document.querySelector('#window-time').innerText")
  }
}
#endif
