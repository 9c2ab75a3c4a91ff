// SPDX-License-Identifier: Apache-2.0

// Optional properties: scalars that can be nil, and links.

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
  public typealias PersistedType = Wrapped.PersistedType?
}

extension Optional: _Persistable where Wrapped: _Persistable {
  public static var _shape: _PropertyShape {
    var shape = Wrapped._shape
    shape.isOptional = true
    return shape
  }

  public static func _makeDefault() -> Wrapped? { nil }

  public static func _traced(by recording: _Recording) -> Wrapped? {
    Wrapped._traced(by: recording)
  }
}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
