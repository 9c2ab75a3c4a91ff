// SPDX-License-Identifier: Apache-2.0

// The table of the page: its keys, its columns, its values as conditions, its result.

#if Tools
import Foundation
import RealmBrowserSupport
import RealmStorage
import RealmFormats
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStudio

extension BrowserTests {
  private static let headers = """
    [...document.querySelectorAll('[role=columnheader][data-name]')].map((cell) =>
      cell.dataset.name).join()
    """

  private func cell(_ place: String) -> String { "document.querySelector('#cell-\(place)')" }

  private func name(of id: Int64, _ path: String) throws -> TableValue? {
    var value: TableValue?
    try SampleFile.write(path) { group in
      let table = try #require(try group.table(named: "class_Person"))
      value = try table.findRow(primaryKey: .int(id))?.row.value(of: table.named("name"))
    }
    return value
  }

  @Test func controlSCommitsAndSortsNothing() async throws {
    try await withPage { browser, studio in
      try await choose("Person", browser)
      try await browser.click("#begin")
      try await browser.wait("document.querySelector('#commit')")
      try await browser.click("#cell-0-2")
      try await browser.type("s", holding: [.control])
      try await browser.wait("document.querySelector('#begin')")
      try await expectEqual(browser.evaluate("location.hash.includes('sort')"), .bool(false))
      try await expectEqual(
        browser.evaluate("document.querySelector('[aria-sort=ascending]')"), .null)
      // In the editor of a cell it keeps what was written.
      try await browser.press(.f2)
      try await browser.wait("\(cell("0-2")).querySelector('input')")
      try await browser.type("Anna")
      try await browser.type("s", holding: [.control])
      try await browser.wait("document.querySelector('#begin')")
      try expectEqual(name(of: 1, studio.path), .string("Anna"))
    }
  }

  @Test func rowsStayDimmedAfterAWrongQuery() async throws {
    try await withPage { browser, _ in
      try await choose("Person", browser)
      try await browser.fill("#query", "nme == 3")
      try await browser.press(.enter)
      try await browser.wait("!document.querySelector('#query-error').hidden")
      try await browser.wait("document.querySelector('#grid.dimmed')")
      try await expectEqual(column("name", browser), SampleFile.names)
      #expect(
        try await browser.text("document.querySelector('#counts').innerText")
          .hasPrefix("8 objects of the query before"))
      try await browser.fill("#query", "name == 'Ada'")
      try await browser.press(.enter)
      try await browser.wait("document.querySelector('#total').textContent === '1'")
      try await expectEqual(browser.evaluate("document.querySelector('#grid.dimmed')"), .null)
      try await expectEqual(column("name", browser), ["Ada"])
    }
  }

  @Test func aDoubleClickEditsACell() async throws {
    try await withPage { browser, _ in
      try await choose("Person", browser)
      try await browser.wait(cell("0-2"))
      try await browser.point(at: "#cell-0-2", clicks: 2)
      try await browser.wait("document.activeElement.closest('#cell-0-2')?.tagName === 'DIV'")
      try await browser.wait("document.querySelector('#commit')")
      try await browser.type("Anna")
      try await browser.press(.enter)
      try await browser.wait("\(cell("0-2")).innerText === 'Anna'")
      try await expectEqual(
        browser.text("document.querySelector('.edits').innerText"), "1 edit")
    }
    try await withPage(isWritable: false) { browser, _ in
      try await choose("Person", browser)
      try await browser.wait(cell("0-2"))
      try await browser.point(at: "#cell-0-2", clicks: 2)
      try await browser.wait(
        "document.querySelector('#notices').innerText.includes('Start Studio with --write')")
      try await expectEqual(browser.evaluate("\(cell("0-2")).querySelector('input')"), .null)
    }
  }

  @Test func aClickOnAValueFilters() async throws {
    try await withPage { browser, _ in
      try await choose("Person", browser)
      try await browser.wait(cell("0-6"))
      try await browser.point(at: "#cell-1-6")
      try await browser.click("#cell-1-6 .funnel")
      try await browser.wait("document.querySelector('#query').value === 'isMember == false'")
      try await browser.wait("document.querySelector('#total').textContent === '4'")
      try await browser.click("#cell-0-2")
      try await browser.type("f")
      try await browser.wait(
        "document.querySelector('#query').value === \"isMember == false AND name == 'Bela'\"")
      try await browser.wait("document.querySelector('#total').textContent === '1'")
    }
  }

  /// Each value of each object stands for a condition that the object fulfils.
  @Test func everyValueHasACondition() async throws {
    try await withPage(
      make: { path in
        try SampleFile.makePeople(path)
        try SampleFile.write(path) { group in
          let person = try #require(try group.table(named: "class_Person"))
          let dog = try #require(try group.table(named: "class_Dog"))
          for weight in [0.1, .infinity, -1e-20] as [Float] {
            try dog.set(.float(weight), dog.named("weight"), try dog.createObject().key)
          }
          let texts = [
            "it's \\ \"two\"\nlines", String(repeating: "long ", count: 100), "\u{0}\u{2028}é😀", "",
          ]
          let extras: [TableValue] = [
            .float(0.1), .double(-.infinity), .timestamp(Timestamp(seconds: -5, nanoseconds: -7)),
            .typedLink(person.key, try #require(try person.findRow(primaryKey: 1)?.key)),
          ]
          for (index, text) in texts.enumerated() {
            let key = try person.createObject(primaryKey: .int(Int64(100 + index))).key
            try person.set(.string(text), person.named("name"), key)
            try person.set(extras[index], person.named("extra"), key)
            try person.set(.double(0.1 + Double(index)), person.named("height"), key)
            let bytes = [UInt8](repeating: UInt8(index), count: 10 * index * index)
            try person.set(.binary(bytes), person.named("photo"), key)
          }
        }
      }
    ) { browser, _ in
      let script = """
        (async () => {
          const { condition } = await import("/conditions.js");
          const { read } = await import("/api.js");
          const wrong = [];
          let count = 0;
          const { classes } = await read(0, "schema");
          for (const one of classes) {
            const { rows } = await read(0, "rows", { class: one.name });
            for (const row of rows) {
              for (const [index, property] of one.properties.entries()) {
                const query = condition(property, row.cells[index]);
                if (query === undefined) continue;
                count += 1;
                const found = await read(0, "rows", { class: one.name, query })
                  .catch((error) => ({ rows: [], error: error.message }));
                if (!found.rows.some((other) => other.key === row.key)) {
                  wrong.push(`${query}: ${found.error ?? "not found"}`);
                }
              }
            }
          }
          return [String(count), ...wrong];
        })()
        """
      let found = try #require(try await browser.evaluate(script).array).compactMap(\.string)
      #expect(Int(try #require(found.first)) ?? 0 > 180)
      expectTrue(found.dropFirst().isEmpty, "\(found.dropFirst().joined(separator: "\n"))")
    }
  }

  /// A condition is added before SORT, DISTINCT and LIMIT, and to all of a choice.
  @Test func conditionsAreAddedToQueries() async throws {
    let cases = [
      ["", "a == 1", "a == 1"], ["TRUEPREDICATE", "a == 1", "a == 1"],
      ["b == 2", "a == 1", "b == 2 AND a == 1"],
      ["b == 2 OR c == 3", "a == 1", "(b == 2 OR c == 3) AND a == 1"],
      ["(b == 2 OR c == 3)", "a == 1", "(b == 2 OR c == 3) AND a == 1"],
      ["b == 2 SORT(c ASC) LIMIT(3)", "a == 1", "b == 2 AND a == 1 SORT(c ASC) LIMIT(3)"],
      ["TRUEPREDICATE LIMIT(3)", "a == 1", "a == 1 LIMIT(3)"],
      ["b == ' OR SORT('", "a == 1", "b == ' OR SORT(' AND a == 1"],
      ["b == 2 AND a == 1", "a == 1", "b == 2 AND a == 1"], ["a == 1", "a == 1", "a == 1"],
    ]
    try await withPage { browser, _ in
      for one in cases {
        let script = """
          import("/conditions.js").then(({ narrowed }) =>
            narrowed(\(Browser.quoted(one[0])), \(Browser.quoted(one[1]))))
          """
        let query = try await browser.text(script)
        expectEqual(query, one[2])
      }
    }
  }

  @Test func columnsAreHiddenAndPinned() async throws {
    try await withPage(width: 1200) { browser, studio in
      try await choose("Person", browser)
      let left = "Math.round(\(cell("0-1")).getBoundingClientRect().left)"
      let before = try await browser.text(left)
      // The key of the object and the primary key are pinned from the beginning.
      try await browser.evaluate("document.querySelector('#grid').scrollLeft = 900")
      try await browser.wait("document.querySelector('#grid').scrollLeft > 800")
      try await expectEqual(browser.text(left), before)
      try await expectEqual(
        browser.evaluate(
          """
          \(cell("0-2")).getBoundingClientRect().right
            < \(cell("0-1")).getBoundingClientRect().left
          """
        ), .bool(true))
      try await browser.evaluate("document.querySelector('#grid').scrollLeft = 0")
      try await browser.click("#columns")
      try await browser.click("dialog [aria-label='Show name']")
      try await browser.click("dialog [aria-label='Pin age']")
      try await browser.click("dialog > button.primary")
      try await browser.wait("\(Self.headers).startsWith('id,age,height')")
      #expect(try await browser.text("document.querySelector('#columns').innerText").contains("1"))
      // The cells belong to their columns: values, sorting and editing.
      try await expectEqual(browser.text("\(cell("0-2")).innerText"), "20")
      try await browser.evaluate("document.querySelector('#grid').scrollLeft = 900")
      try await expectEqual(
        browser.evaluate(
          """
          \(cell("0-2")).getBoundingClientRect().left
            === \(cell("0-1")).getBoundingClientRect().right
          """
        ), .bool(true))
      try await browser.point(at: "#cell-0-2", clicks: 2)
      try await browser.wait("\(cell("0-2")).querySelector('input')")
      try await browser.type("77")
      try await browser.press(.enter)
      try await browser.wait("\(cell("0-2")).innerText === '77'")
      try await browser.click("#commit")
      try await browser.wait("document.querySelector('#begin')")
      // The choice stays.
      try await browser.open(studio.address)
      try await choose("Person", browser)
      #expect(try await browser.text(Self.headers).hasPrefix("id,age,height"))
    }
  }

  @Test func theListOfClassesIsFiltered() async throws {
    try await withPage { browser, _ in
      let names = "[...document.querySelectorAll('nav a')].map((a) => a.dataset.class).join()"
      try await expectEqual(browser.text(names), "Person,Dog,Address")
      try await browser.click("#class-filter")
      try await browser.type("do")
      try await browser.wait("\(names) === 'Dog'")
      try await browser.press(.enter)
      try await browser.wait("document.querySelector('.query-name').textContent === 'Dog'")
      try await expectEqual(browser.text(names), "Dog")
      try await browser.click("#class-filter")
      try await browser.type("x")
      try await browser.wait("document.querySelector('nav .hint')")
      try await browser.press(.escape)
      try await browser.wait("\(names) === 'Person,Dog,Address'")
    }
  }

  @Test func theResultIsCopiedAndSaved() async throws {
    try await withPage { browser, studio in
      let permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
      try await browser.order(
        "Browser.grantPermissions",
        [JSONMember("permissions", .array(permissions.map { .string($0) }))])
      try await browser.order(
        "Browser.setDownloadBehavior",
        [
          JSONMember("behavior", .string("allow")),
          JSONMember("downloadPath", .string(studio.directory.path)),
        ])
      try await choose("Dog", browser)
      try await browser.fill("#query", "weight > 4")
      try await browser.press(.enter)
      try await browser.wait("document.querySelector('#total').textContent === '2'")
      try await browser.click("#columns")
      try await browser.click("dialog [aria-label='Show weight']")
      try await browser.click("dialog > button.primary")
      try await browser.click("#copy-csv")
      try await browser.wait("document.querySelector('#result-note').innerText.includes('2')")
      try await expectEqual(
        browser.text("navigator.clipboard.readText()").replacing("\r\n", with: "\n"),
        "name,owner\nFido,2\nLuna,\n")
      try await browser.click("#save-json")
      let file = studio.directory.file("Dog.json")
      for _ in 0..<600 where !FileManager.default.fileExists(atPath: file) {
        try await Task.sleep(for: .milliseconds(50))
      }
      let json = try JSONParser.parse(Array(try Data(contentsOf: URL(fileURLWithPath: file))))
      expectEqual(
        JSONWriter.text(json),
        #"[{"name":"Fido","owner":2},{"name":"Luna","owner":null}]"#)
    }
  }

  @Test func classesAndPropertiesAreCreated() async throws {
    try await withPage { browser, studio in
      try await browser.click("#begin")
      try await browser.click("#new-class")
      try await browser.fill("dialog [aria-label='Name of the class']", "1 Cat")
      try await browser.click("dialog button.primary")
      try await browser.wait(
        "document.querySelector('dialog .failure').innerText.includes('letter')")
      try await browser.fill("dialog [aria-label='Name of the class']", "Cat")
      try await browser.fill("dialog [aria-label='Primary key']", "id")
      try await browser.click("dialog button.primary")
      try await browser.wait("document.querySelector('.query-name').textContent === 'Cat'")
      try await browser.wait("!document.querySelector('dialog').open")
      try await browser.click("#new-property")
      try await browser.fill("dialog [aria-label='Name of the property']", "servant")
      try await browser.evaluate(
        """
        (() => { const type = document.querySelector("dialog [aria-label=Type]");
          type.value = "link"; type.dispatchEvent(new Event("change"));
          document.querySelector("dialog [aria-label='Class that it links to']").value = "Person";
        })()
        """)
      try await browser.click("dialog button.primary")
      try await browser.wait("\(Self.headers) === 'id,servant'")
      try await browser.click("#commit")
      try await browser.wait("document.querySelector('#begin')")
      try SampleFile.write(studio.path) { group in
        let cat = try #require(try group.table(named: "class_Cat"))
        let person = try #require(try group.table(named: "class_Person"))
        #expect(try cat.named("id").isPrimaryKey)
        try expectEqual(cat.named("servant").targetTable, person.key)
      }
    }
  }
}
#endif
