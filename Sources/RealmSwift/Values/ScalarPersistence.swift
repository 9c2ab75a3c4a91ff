// SPDX-License-Identifier: Apache-2.0

// The types of the standard library and of Foundation that properties can have.

public import Foundation

extension Int: _Persistable, _Indexable, _PrimaryKey {
  public typealias PersistedType = Int
  public static var _shape: _PropertyShape { _PropertyShape(.int) }
  public static func _makeDefault() -> Int { 0 }
}

extension String: _Persistable, _Indexable, _PrimaryKey {
  public typealias PersistedType = String
  public static var _shape: _PropertyShape { _PropertyShape(.string) }
  public static func _makeDefault() -> String { "" }
}

extension Bool: _Persistable, _Indexable, _PrimaryKey {
  public typealias PersistedType = Bool
  public static var _shape: _PropertyShape { _PropertyShape(.bool) }
  public static func _makeDefault() -> Bool { false }
}

extension Double: _Persistable {
  public typealias PersistedType = Double
  public static var _shape: _PropertyShape { _PropertyShape(.double) }
  public static func _makeDefault() -> Double { 0 }
}

extension Float: _Persistable {
  public typealias PersistedType = Float
  public static var _shape: _PropertyShape { _PropertyShape(.float) }
  public static func _makeDefault() -> Float { 0 }
}

extension Date: _Persistable, _Indexable {
  public typealias PersistedType = Date
  public static var _shape: _PropertyShape { _PropertyShape(.date) }
  public static func _makeDefault() -> Date { Date() }
}

extension Data: _Persistable {
  public typealias PersistedType = Data
  public static var _shape: _PropertyShape { _PropertyShape(.data) }
  public static func _makeDefault() -> Data { Data() }
}

extension UUID: _Persistable, _Indexable, _PrimaryKey {
  public typealias PersistedType = UUID
  public static var _shape: _PropertyShape { _PropertyShape(.UUID) }
  public static func _makeDefault() -> UUID { UUID() }
}
