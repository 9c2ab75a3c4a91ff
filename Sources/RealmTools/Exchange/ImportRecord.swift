// SPDX-License-Identifier: Apache-2.0

// One object of an imported file, before its class is known to have such properties.

package import RealmFormats

/// An object as an imported file describes it.
package struct ImportRecord: Sendable {
  /// A property of an object.
  package struct Field: Sendable {
    package let name: String
    package let value: JSONValue
    /// Whether the value is a text for one of another type, as in CSV.
    package let isText: Bool
    package let line: Int
    package let column: Int?
    /// The file, if several are imported together.
    package let file: String?

    package init(
      _ name: String, _ value: JSONValue, isText: Bool, line: Int, column: Int?,
      file: String? = nil
    ) {
      self.file = file
      self.name = name
      self.value = value
      self.isText = isText
      self.line = line
      self.column = column
    }
  }

  package let className: String
  /// The object's key in the exported file.
  package let objectKey: Int64?
  package let fields: [Field]
  package let line: Int

  package init(_ className: String, key: Int64?, _ fields: [Field], line: Int) {
    self.className = className
    objectKey = key
    self.fields = fields
    self.line = line
  }
}
