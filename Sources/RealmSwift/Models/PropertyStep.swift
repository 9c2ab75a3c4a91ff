// SPDX-License-Identifier: Apache-2.0

// How a property is written, in plain words of memory: loops over all properties of a class copy
// these without reference counting, and untyped values of the commonest types are converted without
// generic code.

import RealmTables

/// The types of properties whose untyped values are converted without generic code.
enum PlainKind: UInt8 {
  case int, bool, double, string, optionalInt, optionalBool, optionalDouble, optionalString
  case other

  init(_ wrapperType: any AnyPersisted.Type) {
    guard !wrapperType.isLegacy else {
      self = .other
      return
    }
    // Types of values, not of wrappers: one of these that the program does not use would be made
    // for the comparison, with a search of all conformances of the process.
    switch ObjectIdentifier(wrapperType.valueType) {
    case ObjectIdentifier(Int.self): self = .int
    case ObjectIdentifier(Bool.self): self = .bool
    case ObjectIdentifier(Double.self): self = .double
    case ObjectIdentifier(String.self): self = .string
    case ObjectIdentifier(Int?.self): self = .optionalInt
    case ObjectIdentifier(Bool?.self): self = .optionalBool
    case ObjectIdentifier(Double?.self): self = .optionalDouble
    case ObjectIdentifier(String?.self): self = .optionalString
    default: self = .other
    }
  }
}

/// One property of a class in a realm.
struct PropertyStep {
  let wrapperType: any AnyPersisted.Type
  let offset: Int
  let slot: _ColumnSlot
  let kind: PlainKind
  let isPrimaryKey: Bool
  let isLink: Bool
  let isBacklink: Bool

  init(_ property: ModelProperty, _ slot: _ColumnSlot) {
    wrapperType = property.wrapperType
    offset = property.offset
    self.slot = slot
    kind = PlainKind(property.wrapperType)
    isPrimaryKey = property.isPrimaryKey
    isBacklink = property.shape.type == .linkingObjects
    isLink = property.shape.linkedClass != nil
  }

  /// Whether new objects get a value for the property.
  var isPlainlyStored: Bool { !isPrimaryKey && !isBacklink }

  /// `any` as a stored value, if the property is a scalar and accepts it.
  @inline(__always)
  func stored(_ any: Any) -> TableValue? {
    // Only values of exactly these types: casts would accept numbers of Foundation that do not fit.
    let type = type(of: any)
    switch kind {
    case .int, .optionalInt:
      if type == Int.self || type == Int?.self, let number = any as? Int {
        return .int(Int64(number))
      }
    case .bool, .optionalBool:
      if type == Bool.self || type == Bool?.self, let bool = any as? Bool { return .bool(bool) }
    case .double, .optionalDouble:
      if type == Double.self || type == Double?.self, let number = any as? Double {
        return .double(number)
      }
    case .string, .optionalString:
      if type == String.self || type == String?.self, let string = any as? String {
        return .string(string)
      }
    case .other: break
    }
    return wrapperType.storedScalar(any)?.value
  }
}
