// SPDX-License-Identifier: Apache-2.0

// The model classes of the running program: the schema of a configuration without `objectTypes`.
//
// Invariants:
// 1. A scan is repeated only when images were loaded since the last one, which shows in the number
//    of type records.
// 2. No code of the program runs under the lock.

import RealmSession
import RealmStorage

#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// All model classes that the program declares, whether or not anything mentions them.
enum ModelClasses {
  private struct Scan {
    var recordCount = -1
    var classes: [ObjectBase.Type] = []
  }

  private static let scan = Locked(Scan())

  /// All subclasses of `Object` and `EmbeddedObject`, except generic ones.
  static var all: [ObjectBase.Type] {
    let records = TypeRecords()
    return scan.withLock { scan in
      guard scan.recordCount != records.count else { return scan.classes }
      let found = records.areAvailable ? records.subclasses(of: ObjectBase.self) : runtimeClasses()
      scan.classes = found.compactMap { $0 as? ObjectBase.Type }.filter { !isBase($0) }
      scan.recordCount = records.count
      return scan.classes
    }
  }

  /// The classes of the default schema: all for which `shouldIncludeInDefaultSchema()` is true.
  ///
  /// Traps if two classes have one name by chance, since they would share a table.
  static func defaultSchema() -> [ObjectBase.Type] {
    // Asymmetric objects are useless in a local realm, which may not even have their classes.
    let classes = all.filter {
      $0.shouldIncludeInDefaultSchema() && !($0 is AsymmetricObject.Type)
    }
    if let text = textOfDuplicate(in: classes) { throwRealmException(text) }
    return classes
  }

  /// The class of that name: of several the one in the default schema, or else the first.
  static func named(_ name: String) -> ObjectBase.Type? {
    let classes = all.filter { $0.className() == name }
    return classes.first { $0.shouldIncludeInDefaultSchema() } ?? classes.first
  }

  /// The message if two of `classes` have one name, which neither declares by
  /// `_realmObjectName()`; nil if there are no such classes.
  static func textOfDuplicate(in classes: [ObjectBase.Type]) -> String? {
    var known: [String: ObjectBase.Type] = [:]
    for type in classes where type._realmObjectName() == nil {
      guard let other = known.updateValue(type, forKey: type.className()), other != type else {
        continue
      }
      let names = [String(reflecting: other), String(reflecting: type)].sorted()
      return """
        Object type '\(type.className())' is declared more than once, as '\(names[0])' and as \
        '\(names[1])'. Rename one of them, return false from its \
        'shouldIncludeInDefaultSchema()', or list the types of each Realm in its configuration's \
        'objectTypes'.
        """
    }
    return nil
  }

  /// Whether `type` is one of the classes that models inherit from; those are of this module.
  static func isBase(_ type: ObjectBase.Type) -> Bool {
    // `String(reflecting:)` would search the program four times for conformances of each metatype.
    let module = _typeName(ObjectBase.self).prefix { $0 != "." }
    return _typeName(type).prefix { $0 != "." } == module
  }

  /// All classes, on platforms whose Objective-C runtime lists them, Swift classes among them.
  private static func runtimeClasses() -> [AnyClass] {
    #if canImport(ObjectiveC)
    var count: UInt32 = 0
    guard let list = unsafe objc_copyClassList(&count) else { return [] }
    defer { unsafe free(UnsafeMutableRawPointer(list)) }
    return (0..<Int(count)).map { list[$0] }.filter { type in
      // Only the superclass chain is followed: other messages would initialize foreign classes.
      var superclass: AnyClass? = class_getSuperclass(type)
      while let current = superclass {
        if current == ObjectBase.self { return true }
        superclass = class_getSuperclass(current)
      }
      return false
    }
    #else
    return []
    #endif
  }
}
