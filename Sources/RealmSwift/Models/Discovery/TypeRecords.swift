// SPDX-License-Identifier: Apache-2.0

// Finds the classes of the running program: the compiler leaves a record of every type in the
// image that declares it, whether or not anything mentions the type again.
//
// Invariants:
// 1. Descriptors and records are static data of loaded images. They are only read, and images that
//    contain Swift code are never unloaded by the runtime.
// 2. A metadata accessor is called only for classes that are known to be wanted: it realizes the
//    class, which costs more than the whole scan.

import CRealmPlatform

/// The type records of all loaded images.
struct TypeRecords {
  private let ranges: [UnsafeRawBufferPointer]

  /// Whether this platform keeps type records; where it does not, the class list of the
  /// Objective-C runtime takes their place.
  let areAvailable: Bool

  /// Finds the records of the images loaded so far; it does not read them.
  init() {
    var ranges: [UnsafeRawBufferPointer] = []
    areAvailable = withUnsafeMutablePointer(to: &ranges) { ranges in
      realm_enumerate_type_records(
        { records, byteCount, context in
          let range = UnsafeRawBufferPointer(start: records, count: byteCount)
          context?.assumingMemoryBound(to: [UnsafeRawBufferPointer].self).pointee.append(range)
        }, ranges)
    }
    self.ranges = ranges
  }

  /// The number of records. It grows when an image is loaded, so it shows whether an earlier scan
  /// is still complete.
  var count: Int { ranges.reduce(0) { $0 + $1.count / recordSize } }

  /// All classes that are not generic and inherit from `root`, in the order of the records.
  func subclasses(of root: AnyClass) -> [AnyClass] {
    // A class reference is the address of its metadata.
    let metadata = unsafeBitCast(root, to: UnsafeRawPointer.self)
    guard let descriptor = realm_descriptor_of_metadata(metadata) else { return [] }
    var walk = InheritanceWalk(root: descriptor)
    var found: [AnyClass] = []
    for range in ranges {
      for offset in stride(from: 0, to: range.count - recordSize + 1, by: recordSize) {
        guard let address = range.baseAddress,
          let candidate = ClassDescriptor(record: address + offset),
          !candidate.isGeneric, walk.inherits(candidate),
          let metadata = realm_metadata_of_descriptor(candidate.address)
        else { continue }
        found.append(unsafeBitCast(metadata, to: AnyClass.self))
      }
    }
    return found
  }

  private var recordSize: Int { 4 }
}

/// A class as the compiler describes it: `ClassDescriptor` in the Swift ABI.
private struct ClassDescriptor {
  let address: UnsafeRawPointer

  /// The class that a type record refers to, by a relative pointer whose two low bits say whether
  /// it leads to the descriptor or to a pointer to it. Nil for other types.
  init?(record: UnsafeRawPointer) {
    let field = record.loadUnaligned(as: Int32.self)
    guard field != 0 else { return nil }
    let target = record + Int(field & ~3)
    switch field & 3 {
    case 0: self.init(address: target)
    case 1: self.init(indirect: target)
    default: return nil
    }
  }

  private init?(address: UnsafeRawPointer) {
    self.address = address
    let classKind: UInt32 = 16
    guard flags & 0x1f == classKind else { return nil }
  }

  private init?(indirect: UnsafeRawPointer) {
    guard let target = indirect.loadUnaligned(as: UnsafeRawPointer?.self) else { return nil }
    self.init(address: target)
  }

  private var flags: UInt32 { address.load(as: UInt32.self) }

  var isGeneric: Bool { flags & 0x80 != 0 }

  /// The superclass, if its mangled name begins with a symbolic reference. Names that are spelled
  /// out are those of the standard library's own classes, from which no model inherits.
  var superclass: ClassDescriptor? {
    let field = address + 20
    let distance = Int(field.load(as: Int32.self))
    guard distance != 0 else { return nil }
    let name = field + distance
    let reference = name + 1
    let target = reference + Int(reference.loadUnaligned(as: Int32.self))
    switch name.load(as: UInt8.self) {
    case 1: return ClassDescriptor(address: target)
    case 2: return ClassDescriptor(indirect: target)
    default: return nil
    }
  }
}

/// Finds out for many classes whether they inherit from one, visiting each superclass once.
private struct InheritanceWalk {
  private var known: [UnsafeRawPointer: Bool]

  init(root: UnsafeRawPointer) { known = [root: true] }

  /// Whether `descriptor` inherits from the root; false for the root itself.
  mutating func inherits(_ descriptor: ClassDescriptor) -> Bool {
    guard let superclass = descriptor.superclass else { return false }
    return isRootOrInherits(superclass)
  }

  private mutating func isRootOrInherits(_ descriptor: ClassDescriptor) -> Bool {
    if let answer = known[descriptor.address] { return answer }
    let answer = inherits(descriptor)
    known[descriptor.address] = answer
    return answer
  }
}
