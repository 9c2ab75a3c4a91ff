// SPDX-License-Identifier: Apache-2.0

// Why a call about documents is refused.

#if Server
package import RealmFormats
package import RealmServerEngine
package import RealmStorage

/// The refusal of a call about documents.
package enum DocumentError: ErrorAboveStorage, Hashable, Sendable {
  /// The call is none that the server carries out: an unknown operator, stage or value.
  case unsupported(String)
  /// An argument is missing.
  case missing(String)
  /// An argument has another form than the call needs.
  case badArgument(String)
  /// An operator cannot be carried out with a document's values.
  case failed(String)
  /// The values of a document do not fit its class.
  case schema(String)
  /// No role of the user allows it.
  case notPermitted(String)
  /// A document with the same id is there already.
  case duplicate(id: BSONValue)
  /// The result, or what is needed for it, is too large.
  case tooLarge(String)
  /// The call took longer than calls may.
  case tooLong
  /// The collection has no class.
  case unknownCollection(String)
  /// Too many calls, or too many streams, are open.
  case busy
  /// The changes after a token are gone.
  case resumeLost
  /// The realm cannot be used.
  case store(StoreError)
}

extension DocumentError {
  package static func storage(_ error: StorageError) -> DocumentError { .store(.storage(error)) }
}

extension DocumentError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unsupported(let text), .badArgument(let text), .failed(let text), .schema(let text),
      .notPermitted(let text), .tooLarge(let text):
      text
    case .missing(let name): "missing parameter: '\(name)'"
    case .duplicate(let id):
      "E11000 duplicate key error: a document has the _id \(ExtendedJSONWriter.text(id))"
    case .tooLong: "execution time limit exceeded"
    case .unknownCollection(let name):
      "no rule exists for the collection '\(name)': no class has the name"
    case .busy: "the server is busy; try again later"
    case .resumeLost: "the changes after the resume token are not stored any more"
    case .store: "the server failed"
    }
  }
}
#endif
