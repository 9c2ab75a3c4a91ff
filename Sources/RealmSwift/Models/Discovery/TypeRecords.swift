// SPDX-License-Identifier: Apache-2.0

// Finds the classes of the running program: the compiler leaves a record of every type in the
// image that declares it, whether or not anything mentions the type again.
//
// Descriptors and records are static data of loaded images. They are only read, and images that
// contain Swift code are never unloaded by the runtime. A metadata accessor is called only for
// classes that are known to be wanted: it realizes the class, which costs more than the whole scan.

import CRealmPlatform

/// The type records of all loaded images.
@safe
struct TypeRecords {
  private let ranges: [UnsafeRawBufferPointer]

  /// Whether this platform keeps type records; where it does not, the class list of the
  /// Objective-C runtime takes their place.
  let areAvailable: Bool

  /// Finds the records of the images loaded so far; it does not read them.
  init() {
    var ranges: [UnsafeRawBufferPointer] = unsafe []
    areAvailable = unsafe withUnsafeMutablePointer(to: &ranges) { ranges in
      unsafe realm_enumerate_type_records(
        { records, byteCount, context in
          let range = unsafe UnsafeRawBufferPointer(start: records, count: byteCount)
          unsafe context?.assumingMemoryBound(to: [UnsafeRawBufferPointer].self).pointee.append(
            range)
        }, unsafe ranges)
    }
    unsafe self.ranges = unsafe ranges
  }

  /// The number of records. It grows when an image is loaded, so it shows whether an earlier scan
  /// is still complete.
  var count: Int { unsafe ranges.reduce(0) { $0 + $1.count / recordSize } }

  /// All classes that are not generic and inherit from `root`, in the order of the records.
  func subclasses(of root: AnyClass) -> [AnyClass] {
    // A class reference is the address of its metadata.
    let metadata = unsafe unsafeBitCast(root, to: UnsafeRawPointer.self)
    guard let descriptor = unsafe realm_descriptor_of_metadata(metadata) else { return [] }
    var walk = unsafe InheritanceWalk(root: descriptor)
    var found: [AnyClass] = []
    for index in unsafe ranges.indices {
      let range = unsafe ranges[index]
      for offset in stride(from: 0, to: range.count - recordSize + 1, by: recordSize) {
        guard let address = range.baseAddress,
          let candidate = unsafe ClassDescriptor(record: address + offset),
          !candidate.isGeneric, walk.inherits(candidate),
          let metadata = unsafe realm_metadata_of_descriptor(candidate.address)
        else { continue }
        unsafe found.append(unsafeBitCast(metadata, to: AnyClass.self))
      }
    }
    return found
  }

  private var recordSize: Int { 4 }
}

/// A class as the compiler describes it: `ClassDescriptor` in the Swift ABI.
@safe
private struct ClassDescriptor {
  let address: UnsafeRawPointer

  /// The class that a type record refers to, by a relative pointer whose two low bits say whether
  /// it leads to the descriptor or to a pointer to it. Nil for other types.
  init?(record: UnsafeRawPointer) {
    let field = unsafe record.loadUnaligned(as: Int32.self)
    guard field != 0 else { return nil }
    let target = unsafe record + Int(field & ~3)
    switch field & 3 {
    case 0: unsafe self.init(address: target)
    case 1: unsafe self.init(indirect: target)
    default: return nil
    }
  }

  private init?(address: UnsafeRawPointer) {
    unsafe self.address = unsafe address
    let classKind: UInt32 = 16
    guard flags & 0x1f == classKind else { return nil }
  }

  private init?(indirect: UnsafeRawPointer) {
    guard let target = unsafe indirect.loadUnaligned(as: UnsafeRawPointer?.self) else { return nil }
    unsafe self.init(address: target)
  }

  private var flags: UInt32 { unsafe address.load(as: UInt32.self) }

  var isGeneric: Bool { flags & 0x80 != 0 }

  /// The superclass, if its mangled name begins with a symbolic reference. Names that are spelled
  /// out are those of the standard library's own classes, from which no model inherits.
  var superclass: ClassDescriptor? {
    let field = unsafe address + 20
    let distance = unsafe Int(field.load(as: Int32.self))
    guard distance != 0 else { return nil }
    let name = unsafe field + distance
    let reference = unsafe name + 1
    let target = unsafe reference + Int(reference.loadUnaligned(as: Int32.self))
    switch unsafe name.load(as: UInt8.self) {
    case 1: return unsafe ClassDescriptor(address: target)
    case 2: return unsafe ClassDescriptor(indirect: target)
    default: return nil
    }
  }
}

/// Finds out for many classes whether they inherit from one, visiting each superclass once.
@safe
private struct InheritanceWalk {
  private var known: [UnsafeRawPointer: Bool]

  init(root: UnsafeRawPointer) { unsafe known = unsafe [root: true] }

  /// Whether `descriptor` inherits from the root; false for the root itself.
  mutating func inherits(_ descriptor: ClassDescriptor) -> Bool {
    guard let superclass = descriptor.superclass else { return false }
    return isRootOrInherits(superclass)
  }

  private mutating func isRootOrInherits(_ descriptor: ClassDescriptor) -> Bool {
    if let answer = unsafe known[descriptor.address] { return answer }
    let answer = inherits(descriptor)
    unsafe known[descriptor.address] = answer
    return answer
  }
}
