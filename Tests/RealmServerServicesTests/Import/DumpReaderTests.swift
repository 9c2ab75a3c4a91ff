// SPDX-License-Identifier: Apache-2.0

// Dumps in all of their forms, whole and damaged.

#if Server
import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerServices

struct DumpReaderTests {
  private static let items = DumpNamespace("todo", "Item")
  private static let notes = DumpNamespace("todo", "Note")

  private static func documents(_ count: Int, _ text: String) -> [BSONValue] {
    (0..<count).map { number in
      .document([
        BSONElement("_id", .int32(Int32(number))), BSONElement("text", .string("\(text)\(number)")),
        BSONElement("more", .array([.bool(true), .null, .double(0.5)])),
      ])
    }
  }

  /// The documents of a dump at a path, by their collections.
  private static func read(
    _ files: MemoryFiles, _ path: String = "dump"
  ) throws -> [DumpNamespace: [BSONValue]] {
    var found: [DumpNamespace: [BSONValue]] = [:]
    for source in try DumpSource.all(at: path, in: files) {
      let reader = try source.reader(in: files)
      while let document = try reader.next() {
        found[document.namespace, default: []].append(try document.value())
      }
    }
    return found
  }

  private static func failure(_ files: MemoryFiles, _ path: String = "dump") -> String? {
    do {
      _ = try read(files, path)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// `DumpBytes` 1
  @Test(arguments: [false, true]) func littleOfAFileIsInMemory(_ isCompressed: Bool) throws {
    let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    var files = MemoryFiles(blockByteCount: 512)
    files["a"] = isCompressed ? Gzip.compress(content) : content
    let bytes = try DumpBytes("a", in: files)
    // What is unpacked at once is a block, too.
    let block = isCompressed ? (1 << 16) + 258 : 512
    var (position, most, generator) = (0, 0, SeededGenerator(seed: 1))
    while true {
      let count = generator.pick([1, 4, 100, 1_000 + position / 40])
      guard try bytes.prepare(count) else { break }
      most = max(most, count)
      expectTrue(bytes.bytes.count <= most + block, "\(bytes.bytes.count) for \(most)")
      expectEqual(bytes.take(count), Array(content[position..<position + count]))
      position += count
    }
    expectTrue(position > content.count - 6_000)
  }

  @Test func aFolderOfMongodumpIsRead() throws {
    let (items, notes) = (Self.documents(5, "i"), Self.documents(2, "n"))
    var files = MemoryFiles(blockByteCount: 7)
    files["dump/todo/Item.bson"] = items.flatMap(DumpWriter.bson)
    files["dump/todo/Note%2FOld.bson.gz"] = Gzip.compress(notes.flatMap(DumpWriter.bson))
    files.add([
      "dump/todo/Item.metadata.json": "{}", "dump/todo/Note%2FOld.metadata.json.gz": "x",
      "dump/prelude.json": "{}", "dump/todo/system.views.bson": "x",
    ])
    let found = try Self.read(files)
    expectEqual(found, [Self.items: items, DumpNamespace("todo", "Note/Old"): notes])
    try expectEqual(Self.read(files, "dump/todo/Item.bson"), [DumpNamespace(nil, "Item"): items])
  }

  @Test(arguments: [false, true])
  func anArchiveIsRead(isCompressed: Bool) throws {
    let (items, notes) = (Self.documents(10, "i"), Self.documents(4, "n"))
    let archive = DumpWriter.archive([(Self.items, items), (Self.notes, notes)])
    var files = MemoryFiles(blockByteCount: 11)
    files["all.archive"] = isCompressed ? Gzip.compress(archive) : archive
    try expectEqual(Self.read(files, "all.archive"), [Self.items: items, Self.notes: notes])
  }

  @Test(arguments: DumpWriter.JSONForm.allCases)
  func aFileOfMongoexportIsRead(_ form: DumpWriter.JSONForm) throws {
    let items = Self.documents(6, "i \"}{\\ ")
    var files = MemoryFiles(blockByteCount: 5)
    files["dump/todo/Item.json"] = DumpWriter.json(items, form)
    let found = try Self.read(files)[Self.items] ?? []
    expectEqual(found.map(BSONOrder.normal), items.map(BSONOrder.normal))
    files["dump/todo/Item.json"] = []
    #expect(try Self.read(files).isEmpty)
  }

  @Test func anErrorNamesFilePositionCollectionAndRemedy() throws {
    var files = MemoryFiles()
    let items = Self.documents(3, "i").map(DumpWriter.bson)
    files["dump/todo/Item.bson"] = Array(items.joined().dropLast(2))
    let start = items[0].count + items[1].count
    expectEqual(
      Self.failure(files),
      "dump/todo/Item.bson is damaged at byte \(start) in the collection todo.Item: the file "
        + "ends within a document of \(items[2].count) bytes. Make the dump again, or copy it "
        + "again from where it was made.")
    files["dump/todo/Item.bson"] = [3, 0, 0, 0, 0]
    expectEqual(Self.failure(files)?.contains("3 is no length of a document"), true)
    files["dump/todo/Item.bson"] = [0xFF, 0xFF, 0xFF, 0x7F, 0]
    expectEqual(Self.failure(files)?.contains("is no length of a document"), true)
    var text = items[0]
    text[text.firstIndex(of: UInt8(ascii: "i")) ?? 0] = 0xFF
    files["dump/todo/Item.bson"] = items[1] + text
    expectEqual(Self.failure(files)?.contains("not UTF-8"), true)
    expectEqual(Self.failure(files)?.contains("--skip-damaged"), true)
    files["dump/todo/Item.bson"] = Array(Gzip.compress(items[0]).dropLast(3))
    expectEqual(Self.failure(files)?.contains("the gzip data is wrong (truncated)"), true)
    files["dump/todo/Item.bson"] = nil
    files["dump/todo/Item.json"] = Array(#"[{"a":1},{"b":"#.utf8)
    expectEqual(Self.failure(files)?.contains("the file ends within a document"), true)
    expectEqual(Self.failure(files, "nowhere")?.contains("There is no file"), true)
  }

  @Test func aDocumentHasALimit() throws {
    var files = MemoryFiles()
    files["Item.json"] = Array((#"{"text":""# + String(repeating: "x", count: 5_000)).utf8)
    let dump = JSONDump(
      try DumpBytes("Item.json", in: files), of: Self.items, byteCountMax: 2_000)
    #expect {
      _ = try dump.next()
    } throws: {
      "\($0)".contains("a document is longer than 2000 bytes")
    }
    // The length alone is refused, before so much is read.
    files["Item.bson"] = [0xFF, 0xFF, 0xFF, 0x01]
    let bson = BSONDump(try DumpBytes("Item.bson", in: files), of: Self.items)
    #expect {
      _ = try bson.next()
    } throws: {
      "\($0)".contains("33554431 is no length of a document")
    }
  }

  @Test func aChangedDocumentOfAnArchiveIsFoundByTheChecksum() throws {
    var archive = DumpWriter.archive([(Self.items, Self.documents(3, "item"))])
    let text = Array("item1".utf8)
    let place = try #require(
      archive.indices.first { archive[$0...].starts(with: text) })
    archive[place + 4] = UInt8(ascii: "7")
    var files = MemoryFiles()
    files["all.archive"] = archive
    expectEqual(
      Self.failure(files, "all.archive")?.contains("the checksum of todo.Item is wrong"), true)
  }

  /// Each byte is cut off or changed: the documents are those that were there, or an error says
  /// what is wrong, and nothing traps.
  @Test(arguments: ["Item.bson", "Item.bson.gz", "Item.json", "all.archive", "all.archive.gz"])
  func damageIsAnErrorOrOtherDocuments(_ name: String) throws {
    let items = Self.documents(2, "i")
    let content: [UInt8] =
      if name.hasPrefix("all") {
        DumpWriter.archive([(Self.items, items), (Self.notes, items)], documentsPerBlock: 1)
      } else if name.contains("bson") {
        items.flatMap(DumpWriter.bson)
      } else {
        DumpWriter.json(items, .array)
      }
    let bytes = name.hasSuffix(".gz") ? Gzip.compress(content) : content
    var files = MemoryFiles(blockByteCount: 64)
    let path = "dump/todo/\(name)"
    files[path] = bytes
    let whole = try Self.read(files)
    expectEqual(whole.values.reduce(0) { $0 + $1.count }, (name.hasPrefix("all") ? 4 : 2))
    let boundary = DumpWriter.bson(items[0]).count
    for count in 1..<bytes.count {
      files[path] = Array(bytes.prefix(count))
      let failure = Self.failure(files)
      // Between two documents a file without an end of its own may end.
      let mayEnd =
        name == "Item.bson" && count == boundary
        || name == "Item.json" && bytes[count...].allSatisfy { $0 == UInt8(ascii: "\n") }
      expectTrue(failure != nil || mayEnd, "cut after \(count)")
    }
    for position in bytes.indices {
      for value in [bytes[position] ^ 1, bytes[position] ^ 0x80, 0xFF, 0] {
        files[path] = bytes
        files[path]?[position] = value
        if let failure = Self.failure(files) { #expect(failure.hasSuffix(".")) }
      }
    }
  }
}
#endif
