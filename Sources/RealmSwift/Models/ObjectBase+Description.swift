// SPDX-License-Identifier: Apache-2.0

// The description of an object: its class, and its properties, one per line.

import Foundation

extension ObjectBase {
  /// The number of levels of linked objects that a description includes.
  private static let maximumDepth = 5

  final func _describe() -> String {
    var text = IndentedText()
    _describe(to: &text, depth: 0)
    return text.text
  }

  private func _describe(to text: inout IndentedText, depth: Int) {
    let schema = _schema
    if isInvalidated { return text.append("[invalid object]") }
    if depth > ObjectBase.maximumDepth { return text.append("<Maximum depth exceeded>") }
    text.append("\(schema.className) {")
    text.indent()
    for property in schema.properties where property.shape.type != .linkingObjects {
      text.startLine("\(property.name) = ")
      ObjectBase.describe(_value(of: property), to: &text, depth: depth + 1)
      text.append(";")
    }
    text.unindent()
    text.startLine("}")
  }

  /// Appends the description of a value within that of its container.
  static func describe(_ value: Any, to text: inout IndentedText, depth: Int) {
    guard let value = unwrapped(value) else { return text.append("(null)") }
    if text.isFull { return text.append("...") }
    switch value {
    case let bool as Bool: text.append(bool ? "1" : "0")
    case let data as Data: text.append(describe(data))
    case let mixed as AnyRealmValue:
      if let plain = mixed.plain {
        describe(plain, to: &text, depth: depth)
      } else {
        text.append("(null)")
      }
    case let list as any AnyList: list.describe(to: &text, depth: depth)
    case let map as any AnyMap: map.describe(to: &text, depth: depth)
    default:
      if let object = modelObject(value) {
        object._describe(to: &text, depth: depth)
      } else {
        text.append(lines: "\(value)")
      }
    }
  }

  private static func describe(_ data: Data) -> String {
    let shown = data.prefix(24).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "<\(shown.joined()) — \(data.count) total bytes>"
  }
}

/// A list or set of any type, for descriptions.
protocol AnyList {
  /// Appends the class and at most 100 elements.
  func describe(to text: inout IndentedText, depth: Int)
}

extension List: AnyList {}
extension MutableSet: AnyList {}

extension AnyList where Self: RealmCollection {
  func describe(to text: inout IndentedText, depth: Int) {
    describe(to: &text, depth: depth, limit: 100)
  }
}
