// SPDX-License-Identifier: Apache-2.0

// Files of mongoexport: documents of extended JSON, one after the other or in an array. Several
// arrays may follow each other, as pages of an interface do.

#if Server
import RealmFormats

/// Reads documents of JSON.
final class JSONDump: DumpReader {
  /// The largest document: each byte of binary data has less than two characters, and names may
  /// repeat.
  static let byteCountMax = 96 << 20

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let bytes: DumpBytes
  private let namespace: DumpNamespace
  /// Whether the documents are elements of an array; nil at the beginning.
  private var isArray: Bool?
  private var count = 0
  private var isAtEnd = false

  private let byteCountMax: Int

  init(
    _ bytes: DumpBytes, of namespace: DumpNamespace, byteCountMax: Int = JSONDump.byteCountMax
  ) {
    self.bytes = bytes
    self.namespace = namespace
    self.byteCountMax = byteCountMax
  }

  var readByteCount: Int { bytes.readByteCount }

  func next() throws(ImportError) -> DumpDocument? {
    if isAtEnd { return nil }
    if isArray == nil { try begin() }
    guard try seekDocument() else {
      isAtEnd = true
      return nil
    }
    let offset = bytes.offset
    let document = bytes.take(try length())
    count += 1
    return DumpDocument(
      namespace: namespace, content: .json(document), path: bytes.path, offset: offset)
  }

  private func begin() throws(ImportError) {
    if try bytes.prepare(3), bytes.bytes[bytes.position...].starts(with: Self.mark) {
      bytes.pass(3)
    }
    isArray = try peek() == UInt8(ascii: "[")
    if isArray == true { bytes.pass(1) }
  }

  /// The next byte after spaces; nil at the end.
  private func peek() throws(ImportError) -> UInt8? {
    while try bytes.prepare(1) {
      let byte = bytes.bytes[bytes.position]
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        bytes.pass(1)
      default: return byte
      }
    }
    return nil
  }

  /// Passes all between documents; returns false at the end of the file.
  private func seekDocument() throws(ImportError) -> Bool {
    var byte = try peek()
    if isArray == true {
      while byte == UInt8(ascii: "]") {
        bytes.pass(1)
        guard let next = try peek() else { return false }
        guard next == UInt8(ascii: "[") else { throw damage("something follows the array") }
        bytes.pass(1)
        (byte, count) = (try peek(), 0)
      }
      if count > 0 {
        guard byte == UInt8(ascii: ",") else { throw damage("the array is not whole") }
        bytes.pass(1)
        byte = try peek()
      }
    } else if byte == nil {
      return false
    }
    guard byte == UInt8(ascii: "{") else {
      throw damage(byte == nil ? "the file ends within the array" : "no document begins here")
    }
    return true
  }

  /// The length of the document at the position, found by its brackets.
  private func length() throws(ImportError) -> Int {
    var count = 0
    var depth = 0
    var isText = false
    while true {
      guard try bytes.prepare(count + 1) else { throw damage("the file ends within a document") }
      let (all, start) = (bytes.bytes, bytes.position)
      var index = start + count
      while index < all.count {
        let byte = all[index]
        index += 1
        if isText {
          if byte == UInt8(ascii: "\\") {
            index += 1
          } else if byte == UInt8(ascii: "\"") {
            isText = false
          }
          continue
        }
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth == 0 { return index - start }
        default: break
        }
      }
      count = index - start
      guard count <= byteCountMax else {
        throw damage("a document is longer than \(byteCountMax) bytes")
      }
    }
  }

  private func damage(_ problem: String) -> ImportError {
    .damage(bytes.path, at: bytes.offset, of: namespace, problem)
  }
}
#endif
