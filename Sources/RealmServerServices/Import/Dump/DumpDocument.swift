// SPDX-License-Identifier: Apache-2.0

// A document of a dump, as it is there.

#if Server
package import RealmFormats

/// The bytes of a document, and where they are.
package struct DumpDocument: Sendable {
  enum Content: Sendable {
    case bson([UInt8])
    case json([UInt8])
  }

  package let namespace: DumpNamespace
  let content: Content
  let path: String
  /// The position of the document in the content of its file.
  let offset: Int

  /// The size, about as large as the document in memory.
  var byteCount: Int {
    switch content {
    case .bson(let bytes), .json(let bytes): bytes.count
    }
  }

  /// The document.
  package func value() throws(ImportError) -> BSONValue {
    switch content {
    case .bson(let bytes):
      do throws(BSONDataError) {
        return try BSONReader.document(bytes)
      } catch {
        throw .damage(path, at: offset + error.offset, of: namespace, "\(error)", remedy: remedy)
      }
    case .json(let bytes):
      do throws(BSONError) {
        return try ExtendedJSONReader.parse(bytes)
      } catch {
        throw .damage(
          path, at: offset + Self.offset(of: error), of: namespace, Self.text(error),
          remedy: remedy)
      }
    }
  }

  private var remedy: String {
    "Make the dump again, or leave such documents out with --skip-damaged."
  }

  private static func offset(of error: BSONError) -> Int {
    if case .json(.unexpectedByte(let offset)) = error { offset } else { 0 }
  }

  private static func text(_ error: BSONError) -> String {
    switch error {
    case .badValue: error.valueProblem ?? ""
    case .json(let error):
      switch error {
      case .truncated: "the document ends too early"
      case .unexpectedByte: "a character cannot be there in JSON"
      case .invalidUTF8: "a text is not UTF-8"
      case .badEscape: "an escape in a text is wrong"
      case .numberOutOfRange: "a number is too large"
      case .tooDeep: "values are nested too deeply"
      case .trailingBytes: "something follows the document"
      }
    }
  }
}

/// Reads the documents of a file of data, one after the other.
package protocol DumpReader: AnyObject {
  /// The next document; nil at the end.
  func next() throws(ImportError) -> DumpDocument?

  /// The read bytes of the file.
  var readByteCount: Int { get }
}
#endif
