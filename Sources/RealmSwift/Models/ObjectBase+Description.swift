// SPDX-License-Identifier: Apache-2.0

// The text of an object: its class, and its properties one a line.

import Foundation

extension ObjectBase {
  /// How many objects deep descriptions go.
  private static let maximumDepth = 5

  final func _describe() -> String { _describe(depth: 0) }

  private func _describe(depth: Int) -> String {
    let schema = _schema
    if isInvalidated { return "[invalid object]" }
    if depth > ObjectBase.maximumDepth { return "<Maximum depth exceeded>" }
    var text = "\(schema.className) {\n"
    for property in schema.properties where property.shape.type != .linkingObjects {
      let value = ObjectBase.describe(_value(of: property), depth: depth + 1)
      text += "\t\(property.name) = \(value.replacingOccurrences(of: "\n", with: "\n\t"));\n"
    }
    return text + "}"
  }

  /// The text of a value in the description of what holds it.
  static func describe(_ value: Any, depth: Int) -> String {
    guard let value = unwrapped(value) else { return "(null)" }
    switch value {
    case let bool as Bool: return bool ? "1" : "0"
    case let data as Data: return describe(data)
    case let mixed as AnyRealmValue:
      return mixed.plain.map { describe($0, depth: depth) } ?? "(null)"
    case let list as any AnyList: return list.describe { describe($0, depth: depth) }
    case let map as any AnyMap: return map.describe { describe($0, depth: depth) }
    default: return modelObject(value)?._describe(depth: depth) ?? "\(value)"
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
  /// The class and at most 100 elements, each described by `element`.
  func describe(_ element: (Any) -> String) -> String
}

extension List: AnyList {}
extension MutableSet: AnyList {}

extension AnyList where Self: RealmCollection {
  func describe(_ element: (Any) -> String) -> String {
    let shown = 100
    var lines: [String] = []
    for (position, value) in self.enumerated().prefix(shown) {
      let text = element(value).replacingOccurrences(of: "\n", with: "\n\t")
      lines.append("\t[\(position)] \(text)")
    }
    if count > shown { lines.append("\t... \(count - shown) objects skipped.") }
    return "\(Self.self) (\n" + lines.joined(separator: ",\n") + "\n)"
  }
}
