// SPDX-License-Identifier: Apache-2.0

// Archives of mongodump: the documents of all collections in one stream.
//
// After the magic number and a header come documents about the collections, then blocks: each
// begins with a document about its collection, and goes on with documents of it up to a mark.
// Blocks of several collections alternate. The last one of a collection has no documents, but the
// checksum of all of them.

#if Server
import RealmFormats

/// Reads the documents of an archive.
final class ArchiveDump: DumpReader {
  /// The first bytes of each archive.
  static let magic: [UInt8] = [0x6D, 0xE2, 0x99, 0x81]

  private static let end: Int32 = -1

  private let bytes: DumpBytes
  /// The collections whose last block was not read yet.
  private var expected: Set<DumpNamespace> = []
  private var checksums: [DumpNamespace: CRC64] = [:]
  private var closed: Set<DumpNamespace> = []
  private var current: DumpNamespace?
  private var hasBegun = false

  init(_ bytes: DumpBytes) { self.bytes = bytes }

  var readByteCount: Int { bytes.readByteCount }

  /// The announced collections.
  func begin() throws(ImportError) -> [DumpNamespace] {
    guard try bytes.prepare(Self.magic.count), bytes.take(Self.magic.count) == Self.magic else {
      throw .damage(bytes.path, at: 0, "the file does not begin as an archive of mongodump")
    }
    hasBegun = true
    var known: [DumpNamespace] = []
    _ = try header("the header of the archive")
    while let document = try header("the list of collections") {
      guard let namespace = Self.namespace(document) else {
        throw damage("a collection has no name")
      }
      known.append(namespace)
      // A view has no documents, and no end.
      if document["type"] != .string("view") { expected.insert(namespace) }
    }
    return known
  }

  func next() throws(ImportError) -> DumpDocument? {
    if !hasBegun { _ = try begin() }
    while true {
      guard let namespace = current else {
        guard try beginBlock() else { return nil }
        continue
      }
      guard let length = try bytes.peekNumber() else {
        throw damage("the file ends within a block of documents")
      }
      if length == Self.end {
        bytes.pass(4)
        current = nil
        continue
      }
      let offset = bytes.offset
      let document = try BSONFrame.take(length, from: bytes, of: namespace)
      checksums[namespace, default: CRC64()].add(document)
      return DumpDocument(
        namespace: namespace, content: .bson(document), path: bytes.path, offset: offset)
    }
  }

  /// Reads the beginning of a block; returns false at the end of the archive.
  private func beginBlock() throws(ImportError) -> Bool {
    guard try bytes.peekNumber() != nil else {
      guard expected.isEmpty else {
        let names = expected.sorted().map(\.description).joined(separator: ", ")
        throw damage("the file ends before all documents of \(names)")
      }
      return false
    }
    guard let document = try header("a block"), let namespace = Self.namespace(document) else {
      throw damage("a block names no collection")
    }
    guard !closed.contains(namespace) else {
      throw damage("documents of \(namespace) follow its end")
    }
    guard document["EOF"] == .bool(true) else {
      expected.insert(namespace)
      current = namespace
      return true
    }
    let found = checksums.removeValue(forKey: namespace) ?? CRC64()
    expected.remove(namespace)
    closed.insert(namespace)
    if case .int64(let checksum)? = document["CRC"],
      UInt64(bitPattern: checksum) != found.checksum
    {
      throw damage("the checksum of \(namespace) is wrong: its documents have changed")
    }
    guard try bytes.peekNumber() == Self.end else { throw damage("an empty block does not end") }
    bytes.pass(4)
    return true
  }

  /// The next document outside of blocks; nil at the mark of their end.
  private func header(_ part: String) throws(ImportError) -> BSONValue? {
    guard let length = try bytes.peekNumber() else { throw damage("the file ends within \(part)") }
    if length == Self.end {
      bytes.pass(4)
      return nil
    }
    let offset = bytes.offset
    let document = try BSONFrame.take(length, from: bytes, of: nil)
    do throws(BSONDataError) {
      return try BSONReader.document(document)
    } catch {
      throw .damage(bytes.path, at: offset + error.offset, "\(part): \(error)")
    }
  }

  private static func namespace(_ document: BSONValue) -> DumpNamespace? {
    guard case .string(let database)? = document["db"],
      case .string(let collection)? = document["collection"]
    else { return nil }
    return DumpNamespace(database, collection)
  }

  private func damage(_ problem: String) -> ImportError {
    .damage(bytes.path, at: bytes.offset, of: current, problem)
  }
}
#endif
