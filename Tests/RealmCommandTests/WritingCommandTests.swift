// SPDX-License-Identifier: Apache-2.0

// The commands that make and change files, as processes.

#if Tools
import Foundation
import RealmFormats
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

@Suite(.timeLimit(.minutes(10))) struct WritingCommandTests {
  private let directory: TemporaryDirectory
  private let file: String

  init() throws {
    directory = try TemporaryDirectory()
    file = directory.file("dogs.realm")
    try CommandSample.make(at: file)
  }

  private func text(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory.file(name)))
    return directory.file(name)
  }

  @Test func export() throws {
    let json = try ToolProcess("export", file, "--no-schema")
    expectEqual(json.status, 0)
    let whole = try ToolProcess("export", file)
    #expect(whole.output.hasPrefix(#"{"$schema":{"version":"#))
    expectTrue(whole.output.hasSuffix(json.output))
    let restored = directory.file("restored.realm")
    try expectEqual(ToolProcess("import", restored, "-", input: whole.output).status, 0)
    try expectEqual(ToolProcess("diff", file, restored).status, 0)
    #expect(
      json.output.hasPrefix(#"{"$class":"Dog","$key":0,"id":1,"name":"Fido","age":3}"# + "\n"))
    let out = directory.file("old.csv")
    let csv = try ToolProcess(
      "export", file, "--format", "csv", "--query", "Dog WHERE age > 3", "-o", out)
    expectEqual(csv.status, 0)
    expectEqual(csv.output, "1 object written to \(out)\n")
    try expectEqual(String(contentsOfFile: out, encoding: .utf8), "#,id,name,age\n1,2,Rex,7\n")
    try expectEqual(ToolProcess("export", file, "-o", out).status, 73)
    try expectEqual(ToolProcess("export", file, "-o", out, "--force").status, 0)
    try expectEqual(ToolProcess("export", file, "--query", "Cat").status, 64)
  }

  /// The names of targets and what they get: the first bytes, or for folders their files.
  @Test(arguments: [
    ("a.csv", "#,id,name"), ("A.CSV", "#,id,name"), ("a.tsv", "#\tid\tname"),
    ("a.sqlite", "SQLite format 3"), ("a.db", "SQLite format 3"), ("a.sqlite3", "SQLite format 3"),
    ("a.json", "{\"$schema\""), ("a.jsonl", "{\"$schema\""), ("a", "{\"$schema\""),
    ("folder/", "Dog.csv realm-schema.json"), ("there", "Dog.csv realm-schema.json"),
  ])
  func theNameOfATargetSaysItsForm(_ name: String, _ content: String) throws {
    try FileManager.default.createDirectory(
      atPath: directory.file("there"), withIntermediateDirectories: false)
    let out = directory.path + "/" + name
    let export = try ToolProcess("export", file, "--out", out)
    if export.status == 69, name.contains("sqlite") || name.hasSuffix(".db") { return }
    expectEqual(export.status, 0, "\(export.errors)")
    if content.hasPrefix("Dog") {
      let names = try FileManager.default.contentsOfDirectory(atPath: out)
      expectEqual(names.sorted().joined(separator: " "), content)
    } else {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: out))
      let start = String(decoding: bytes.prefix(content.utf8.count), as: UTF8.self)
      expectEqual(start, content)
    }
    if !name.hasSuffix(".tsv") {
      let restored = directory.file("restored.realm")
      let arguments =
        ["import", restored, out]
        + (name.lowercased() == "a.csv" ? ["--class", "Dog", "--type", "id=int"] : [])
      let back = try ToolProcess(ToolProcess.program, arguments)
      expectEqual(back.status, 0, "\(back.errors)\(back.output)")
    }
    let given = try ToolProcess(
      "export", file, "--format", "json", "--out", directory.file("b.csv"))
    expectEqual(given.status, 0)
    let text = try String(contentsOfFile: directory.file("b.csv"), encoding: .utf8)
    expectTrue(text.hasPrefix("{\"$schema\""))
  }

  /// One file of CSV has one class, and a folder any number: none, and none with an object.
  @Test func foldersOfCSVMakeEqualFiles() throws {
    let empty = directory.file("empty.realm")
    let classes = directory.file("classes.realm")
    _ = try RealmWriter(path: empty, creates: true)
    let writer = try RealmWriter(path: classes, creates: true)
    _ = try writer.write { group in
      let (cats, dogs) = try (
        group.createTable(named: "class_Cat"), group.createTable(named: "class_Dog")
      )
      try cats.addColumn(named: "id", type: .int)
      try cats.addColumn(named: "dog", type: .link, target: dogs.key)
      try dogs.addColumn(named: "tags", type: .string, collection: .list)
      _ = try group.createTable(named: "class_Address", kind: .embedded)
      return true
    }
    for source in [empty, classes, file] {
      let out = directory.file("out-\((source as NSString).lastPathComponent)")
      let folder = (out as NSString).deletingPathExtension
      try expectEqual(
        ToolProcess("export", source, "--format", "csv", "--out", folder).status, 0)
      let restored = out + ".new.realm"
      let back = try ToolProcess("import", restored, folder)
      expectEqual(back.status, 0, "\(back.errors)")
      let difference = try ToolProcess("diff", source, restored)
      expectEqual(difference.status, 0, "\(difference.output)")
      try FileManager.default.removeItem(atPath: folder)
    }
    let one = try ToolProcess("export", classes, "--out", directory.file("all.csv"))
    expectEqual(one.status, 64)
    expectTrue(one.errors.contains("there are 2 classes"), "\(one.errors)")
    expectFalse(FileManager.default.fileExists(atPath: directory.file("all.csv")))
  }

  /// Text in Latin-1 is refused with its place, and read with its encoding.
  @Test func encodings() throws {
    let input = directory.file("latin1.csv")
    try Data(Array("id,name\n1,Andr".utf8) + [0xE9, 0x0A]).write(to: URL(fileURLWithPath: input))
    let new = directory.file("l.realm")
    let bad = try ToolProcess("import", new, input, "--class", "L")
    expectEqual(bad.status, 65)
    expectTrue(bad.output.contains("bad row: line 2, column 7: the byte 0xE9 is no UTF-8"))
    expectFalse(FileManager.default.fileExists(atPath: new))
    let good = try ToolProcess("import", new, input, "--class", "L", "--encoding", "latin1")
    expectEqual(good.status, 0, "\(good.errors)")
    try expectEqual(
      ToolProcess("query", new, "L", "--json").output, #"{"$key":0,"id":1,"name":"André"}"# + "\n")
    try expectEqual(ToolProcess("import", new, input, "--encoding", "ebcdic").status, 64)
    try expectEqual(ToolProcess("import", new, input, "--separator", ";;").status, 64)
  }

  @Test func importing() throws {
    let input = try text("Dog.csv", "id,name,age\n3,Ünal,9\n4,Spot,x\n")
    let bad = try ToolProcess("import", file, input)
    expectEqual(bad.status, 65)
    expectTrue(bad.output.contains("Dog: 2 objects\n  id: int, primary key\n"))
    expectTrue(bad.output.contains("bad row: line 3, column 8 (age): \"x\" is no int"))
    expectTrue(bad.output.hasSuffix("leave them out with --skip-bad-rows.\n"))
    try expectEqual(ToolProcess("query", file, "Dog WHERE age == 9", "--count").output, "0\n")
    let dry = try ToolProcess("import", file, input, "--skip-bad-rows", "--dry-run", "--json")
    let report = try JSONParser.parse(dry.output)
    expectEqual(report["updated"], .integer(1))
    try expectEqual(ToolProcess("query", file, "Dog WHERE age == 9", "--count").output, "0\n")
    try expectEqual(ToolProcess("import", file, input, "--skip-bad-rows").status, 0)
    try expectEqual(ToolProcess("query", file, "Dog WHERE age == 9", "--count").output, "1\n")
    try expectEqual(ToolProcess("import", file, directory.file("none")).status, 66)
    try expectEqual(ToolProcess("import", file, input, "--batch", "0").status, 64)
    try expectEqual(ToolProcess("import", file, input, "--type", "a=b").status, 64)
  }

  @Test func aNewFileIsMadeOnlyIfTheImportSucceeds() throws {
    let new = directory.file("new.realm")
    let bad = try text("bad.json", "{\"a\":1}\nnonsense\n")
    try expectEqual(ToolProcess("import", new, bad, "--class", "A").status, 65)
    let good = try text("good.json", "{\"a\":1}\n")
    try expectEqual(ToolProcess("import", new, good, "--class", "A", "--dry-run").status, 0)
    expectFalse(FileManager.default.fileExists(atPath: new))
    expectTrue(!FileManager.default.fileExists(atPath: new + ".lock"))
    try expectEqual(ToolProcess("import", new, good, "--class", "A").status, 0)
    try expectEqual(ToolProcess("query", new, "A", "--json").output, "{\"$key\":0,\"a\":1}\n")
  }

  @Test func copyAndDiff() throws {
    let (safe, key) = (directory.file("safe.realm"), directory.file("key"))
    try expectEqual(ToolProcess("copy", file, safe, "--new-key", key).status, 0)
    try expectEqual(ToolProcess("info", safe).status, 65)
    try expectEqual(ToolProcess("info", safe, "--key-file", key).status, 0)
    try expectEqual(ToolProcess("copy", file, safe).status, 73)
    try expectEqual(ToolProcess("copy", file, safe, "--new-key", key, "--no-key").status, 64)
    try expectEqual(ToolProcess("diff", file, safe, "--second-key-file", key).status, 0)
    try expectEqual(ToolProcess("generate", file, "--rows", "1").output, "Dog: 1 object\n")
    let diff = try ToolProcess("diff", file, safe, "--second-key-file", key)
    expectEqual(diff.status, 1)
    expectEqual(diff.output, "- Dog 4\n")
    let json = try ToolProcess("diff", file, safe, "--second-key-file", key, "--json")
    expectEqual(json.output, #"{"change":"removed","class":"Dog","object":4}"# + "\n")
    try expectEqual(ToolProcess("diff", file, directory.file("none")).status, 66)
  }

  @Test func rewriteChangesTheKeyInPlace() throws {
    let (first, second) = (directory.file("first.key"), directory.file("second.key"))
    let before = directory.file("before.realm")
    try FileManager.default.copyItem(atPath: file, toPath: before)
    try expectEqual(ToolProcess("rewrite", file).status, 64)
    try expectEqual(ToolProcess("rewrite", file, "--new-key", first, "--no-key").status, 64)
    try expectEqual(ToolProcess("rewrite", file, "--no-key").status, 64)
    try expectEqual(ToolProcess("rewrite", directory.file("none"), "--new-key", first).status, 66)
    expectFalse(FileManager.default.fileExists(atPath: first))
    let made = try ToolProcess("rewrite", file, "--new-key", first)
    expectEqual(made.status, 0)
    expectEqual(
      made.output,
      "\(file) has a key.\nKeep \(first): without that key the file cannot be read.\n")
    try expectEqual(ToolProcess("info", file).status, 65)
    try expectEqual(ToolProcess("diff", before, file, "--second-key-file", first).status, 0)
    // Another key, which is there before.
    try FileCopy.makeKey(at: second)
    let changed = try ToolProcess(
      "rewrite", file, "--key-file", first, "--new-key", second, "--json")
    expectEqual(changed.status, 0)
    let report = try JSONParser.parse(changed.output)
    expectEqual(report["newKey"], .bool(false))
    expectEqual(report["wasEncrypted"], .bool(true))
    try expectEqual(
      ToolProcess("rewrite", file, "--key-file", first, "--new-key", second).status, 65)
    let same = try ToolProcess("rewrite", file, "--key-file", second, "--new-key", second)
    expectEqual(same.status, 64)
    expectTrue(same.errors.contains("is the one that it has"), "\(same.errors)")
    let plain = try ToolProcess("rewrite", file, "--key-file", second, "--no-key")
    expectEqual(plain.output, "\(file) is not encrypted any more.\n")
    try expectEqual(ToolProcess("diff", before, file).status, 0)
    expectFalse(FileManager.default.fileExists(atPath: file + ".compaction"))
  }

  @Test func rewriteLeavesWhatItMayNotChange() throws {
    let key = directory.file("key")
    let contents = try Data(contentsOf: URL(fileURLWithPath: file))
    try {
      let writer = try RealmWriter(path: file, creates: false)
      let busy = try ToolProcess("rewrite", file, "--new-key", key)
      expectEqual(busy.status, 75, "\(busy.errors)")
      withExtendedLifetime(writer) {}
    }()
    // The key that was made for it stays, and is used by the next attempt.
    let made = try Data(contentsOf: URL(fileURLWithPath: key))
    let link = directory.file("link.realm")
    try FileManager.default.linkItem(atPath: file, toPath: link)
    let linked = try ToolProcess("rewrite", file, "--new-key", key)
    expectEqual(linked.status, 75)
    expectTrue(linked.errors.contains("hard link"), "\(linked.errors)")
    try FileManager.default.removeItem(atPath: link)
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: file)), contents)
    try expectTrue(OlderFile.edit(file, format: 23))
    let older = try ToolProcess("rewrite", file, "--new-key", key)
    expectEqual(older.status, 65)
    expectTrue(older.errors.contains("realm upgrade"), "\(older.errors)")
    try expectTrue(OlderFile.edit(file, format: 24))
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: file)), contents)
    try expectEqual(ToolProcess("rewrite", file, "--new-key", key).status, 0)
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: key)), made)
    try expectEqual(ToolProcess("check", file, "--key-file", key).status, 0)
  }

  @Test func compactAndUpgrade() throws {
    let compact = try ToolProcess("compact", file, "--json")
    expectEqual(compact.status, 0)
    let report = try JSONParser.parse(compact.output)
    expectTrue((report["after"]?.integer ?? .max) <= (report["before"]?.integer ?? 0))
    try expectEqual(ToolProcess("compact", directory.file("none")).status, 66)
    let upgrade = try ToolProcess("upgrade", file)
    expectEqual(upgrade.status, 0)
    expectTrue(upgrade.output.contains("in the present format already"))
    try expectEqual(ToolProcess("generate", file, "--rows", "0").status, 64)
  }

  @Test func salvage() throws {
    let out = directory.file("saved.realm")
    let saved = try ToolProcess("salvage", file, out)
    expectEqual(saved.status, 0)
    expectTrue(saved.output.hasSuffix("3 objects saved to \(out)\n"))
    try expectEqual(ToolProcess("diff", file, out).status, 0)
    try expectEqual(ToolProcess("salvage", file, out).status, 73)
    let text = try text("text", String(repeating: "no realm ", count: 40))
    try expectEqual(ToolProcess("salvage", text, directory.file("b.realm")).status, 65)
  }
}
#endif
