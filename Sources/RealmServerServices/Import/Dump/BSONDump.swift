// SPDX-License-Identifier: Apache-2.0

// Files of mongodump with the documents of one collection.

#if Server
/// Reads documents of BSON, one after the other up to the end of the file.
final class BSONDump: DumpReader {
  private let bytes: DumpBytes
  private let namespace: DumpNamespace

  init(_ bytes: DumpBytes, of namespace: DumpNamespace) {
    self.bytes = bytes
    self.namespace = namespace
  }

  var readByteCount: Int { bytes.readByteCount }

  func next() throws(ImportError) -> DumpDocument? {
    guard let length = try bytes.peekNumber() else { return nil }
    let offset = bytes.offset
    return DumpDocument(
      namespace: namespace,
      content: .bson(try BSONFrame.take(length, from: bytes, of: namespace)), path: bytes.path,
      offset: offset)
  }
}
#endif
