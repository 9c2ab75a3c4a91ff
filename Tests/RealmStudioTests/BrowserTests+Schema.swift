// SPDX-License-Identifier: Apache-2.0

// Classes, values and queries that a person changes, counts and keeps in the page.

#if Tools
import Foundation
import RealmBrowserSupport
import RealmFormats
import RealmStorage
import RealmTables
import TestExtensions
import Testing

@testable import RealmStudio

extension BrowserTests {
  @Test func classesAndPropertiesAreRenamedAndRemovedInThePage() async throws {
    try await withPage { browser, studio in
      try await choose("Dog", browser)
      try await browser.click("#begin")
      try await browser.wait("document.querySelector('#change-class')")
      try await browser.click("#change-class")
      try await browser.fill("dialog [aria-label='Name of weight']", "mass")
      try await browser.click("dialog [aria-label='Rename weight']")
      try await browser.wait("document.querySelector('dialog [aria-label=\"Remove mass\"]')")
      // The first click asks.
      try await browser.click("dialog [aria-label='Remove owner']")
      try await expectEqual(
        browser.text("document.querySelector('dialog [aria-label=\"Remove owner\"]').innerText"),
        "With the values of 3 objects?")
      try await browser.click("dialog [aria-label='Remove owner']")
      try await browser.wait("!document.querySelector('dialog [aria-label=\"Remove owner\"]')")
      try await browser.fill("dialog [aria-label='Name of Dog']", "Puppy")
      try await browser.click("dialog [aria-label='Rename Dog']")
      try await browser.wait("document.querySelector('.query-name').textContent === 'Puppy'")
      try await browser.wait("document.querySelector('dialog h2').innerText === 'Class Puppy'")
      try await browser.click("dialog > button.primary")
      try await browser.click("#commit")
      try await browser.wait("document.querySelector('#begin')")
      try await expectEqual(column("mass", browser), ["3.0", "7.5", "12.0"])
      try SampleFile.write(studio.path) { group in
        let puppy = try #require(try group.table(named: "class_Puppy"))
        expectEqual(puppy.schema.columns.map(\.name), ["name", "mass"])
      }
    }
  }

  @Test func valuesAreCountedAndNarrowTheQuery() async throws {
    try await withPage { browser, _ in
      try await choose("Person", browser)
      try await browser.click("[data-facet=isMember]")
      try await browser.wait("document.querySelectorAll('.facet').length === 2")
      try await expectEqual(
        browser.text(
          "[...document.querySelectorAll('.facet')].map((one) => one.innerText"
            + ".replace(/\\s+/g, ' ')).join()"),
        "true 4,false 4")
      try await browser.click(".facets li:last-child .facet")
      try await browser.wait("document.querySelector('#query').value === 'isMember == false'")
      try await browser.wait("document.querySelector('#total').textContent === '4'")
      // The values are those of the objects that are shown.
      try await browser.wait("document.querySelectorAll('.facet').length === 1")
    }
  }

  @Test func queriesAreKeptForTheirClass() async throws {
    try await withPage { browser, _ in
      try await choose("Person", browser)
      try await browser.fill("#query", "age > 40")
      try await browser.click("#save-query")
      try await browser.wait("document.querySelector('#save-query').ariaPressed === 'true'")
      try await choose("Dog", browser)
      #expect(try await browser.text("document.querySelector('#saved').hidden") == "true")
      try await choose("Person", browser)
      try await browser.evaluate(
        """
        (() => {
          const list = document.querySelector('#saved');
          list.value = 'age > 40';
          list.dispatchEvent(new Event('change'));
        })()
        """)
      try await browser.wait("document.querySelector('#total').textContent === '3'")
      try await browser.wait("document.querySelector('#save-query').innerText === '★'")
      try await browser.click("#save-query")
      try await browser.wait("document.querySelector('#saved').hidden")
    }
  }

  @Test func newObjectsGetAGeneratedKey() async throws {
    let types: [(type: ColumnType, pattern: String)] = [
      (.objectId, "^[0-9a-f]{24}$"), (.uuid, "^[0-9a-f-]{36}$"),
    ]
    try await withPage(make: { path in
      try SampleFile.makePeople(path)
      try SampleFile.write(path) { group in
        for (type, _) in types {
          let table = try group.createTable(named: "class_With\(type)")
          try table.setPrimaryKey(table.addColumn(named: "id", type: type).key)
          _ = try table.createObject(
            primaryKey: type == .uuid
              ? .uuid(Bytes16(high: 1, low: 2)) : .objectId(Bytes12(high: 1, low: 2)))
        }
      }
    }) { browser, _ in
      try await choose("Person", browser)
      try await browser.click("#begin")
      try await browser.wait("document.querySelector('#new')")
      try await browser.click("#new")
      try await browser.wait("document.querySelector('dialog input')?.value === '9'")
      try await browser.press(.enter)
      try await browser.wait("document.querySelector('#total').textContent === '9'")
      for (type, pattern) in types {
        try await choose("With\(type)", browser)
        try await browser.click("#new")
        try await browser.wait(
          "/\(pattern)/.test(document.querySelector('dialog input')?.value ?? '')")
        try await browser.press(.escape)
      }
    }
  }

  /// From the query bar Tab leads to the table, and from there out of it, whatever it shows.
  @Test func theTableIsOneStopOfTab() async throws {
    try await withPage { browser, _ in
      try await choose("Dog", browser)
      try await browser.wait("document.querySelector('#grid a.v-link')")
      try await expectEqual(
        browser.text(
          "[...document.querySelectorAll('#grid a, #grid button, #grid [tabindex]')]"
            + ".filter((one) => one.tabIndex >= 0).length"), "0")
      try await browser.click("#cell-0-1")
      try await expectEqual(browser.text("document.activeElement.id"), "grid")
      try await browser.press(.tab)
      try await expectEqual(
        browser.text("document.activeElement.closest('#grid') === null"), "true")
    }
  }

  @Test func aDamagedClassSaysWhatCanBeSaved() async throws {
    try await withPage(make: { path in
      try SampleFile.makePeople(path)
      try FacetTests.damage("Dog", in: path)
    }) { browser, _ in
      try await browser.wait("document.querySelector('nav a[data-class=Dog] .damaged')")
      try await browser.click("nav a[data-class=Dog]")
      try await browser.wait("document.querySelector('#grid .damage')")
      try await browser.wait("document.querySelector('#salvageable')")
      #expect(
        try await browser.text("document.querySelector('#salvageable').innerText").contains("Dog"))
      try await choose("Person", browser)
      try await expectEqual(column("name", browser), SampleFile.names)
    }
  }

  /// The browser asks before it leaves a page whose edits would be lost.
  @Test func thePageIsNotLeftWithEdits() async throws {
    let leaving = """
      (() => {
        const event = new Event("beforeunload", { cancelable: true });
        dispatchEvent(event);
        return event.defaultPrevented;
      })()
      """
    try await withPage { browser, _ in
      try await choose("Dog", browser)
      try await browser.click("#begin")
      try await browser.wait("document.querySelector('#change-class')")
      try await expectEqual(browser.text(leaving), "false")
      try await browser.click("#new")
      try await browser.wait("document.querySelector('#total').textContent === '4'")
      try await expectEqual(browser.text(leaving), "true")
      try await browser.click("#cancel")
      try await browser.wait("document.querySelector('#begin')")
      try await expectEqual(browser.text(leaving), "false")
    }
  }

  /// A text that turns the direction turns nothing beside it.
  @Test func marksOfDirectionStayInTheirText() async throws {
    try await withPage(make: { path in
      try SampleFile.write(path) { group in
        let table = try group.createTable(named: "class_Note")
        let text = try table.addColumn(named: "text", type: .string)
        let tags = try table.addColumn(named: "tags", type: .string, collection: .list)
        let key = try table.createObject().key
        try table.set(.string("\u{202E}abc"), text, key)
        try table.set(.list([.string("\u{202E}xyz"), .string("plain")]), tags, key)
      }
    }) { browser, _ in
      try await choose("Note", browser)
      try await browser.click("#cell-0-1")
      try await browser.wait("document.querySelectorAll('#inspector .items li').length === 2")
      try await expectEqual(
        browser.text(
          "[...document.querySelectorAll('#grid .cell span, #inspector .value, #inspector .name')]"
            + ".filter((one) => getComputedStyle(one).unicodeBidi !== 'isolate').length"), "0")
    }
  }
}
#endif
