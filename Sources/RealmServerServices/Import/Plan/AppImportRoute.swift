// SPDX-License-Identifier: Apache-2.0

// Where the documents of a collection go.

#if Server
/// The destinations of the documents of a collection.
struct AppImportRoute: Hashable, Sendable {
  /// The class of their objects; nil if they are none.
  var className: String?
  /// The field with the id of the user whose custom data a document is; nil if they are none.
  var userField: String?
}
#endif
