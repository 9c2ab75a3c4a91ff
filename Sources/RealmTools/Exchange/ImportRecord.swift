// SPDX-License-Identifier: Apache-2.0

// One object of an imported file, before its class is known to have such properties.

import RealmFormats

/// An object as an imported file describes it.
struct ImportRecord: Sendable {
  /// A property of an object.
  struct Field: Sendable {
    let name: String
    let value: JSONValue
    /// Whether the value is a text for one of another type, as in CSV.
    var isText = false
    let line: Int
    var column: Int?
    /// The file, if several are imported together.
    var file: String?
  }

  let className: String
  /// The object's key in the exported file.
  let objectKey: Int64?
  let fields: [Field]
  let line: Int
}
