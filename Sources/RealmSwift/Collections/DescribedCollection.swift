// SPDX-License-Identifier: Apache-2.0

// The first part of descriptions of collections: `List<Dog> <0x600000c8>`.

/// A collection whose description names an instance other than itself.
protocol DescribedCollection {
  /// The instance that the copies of the collection share.
  var describedInstance: AnyObject? { get }
}

extension Results: DescribedCollection {
  var describedInstance: AnyObject? { state }
}

extension LinkingObjects: DescribedCollection {
  var describedInstance: AnyObject? { _definingInstance }
}

/// The name, element types and memory address of a collection: `Map<string, Dog> <0x…>`.
///
/// - Parameter types: The element types: classes by their names, others by the database's names.
func descriptionHead(of collection: Any, holding types: [any _Storable.Type]) -> String {
  let name = "\(type(of: collection))".prefix { $0 != "<" }
  let names = types.map { type in
    type is any ObjectWrapping.Type
      ? "\(type)" : type._shape.linkedClassName ?? type._shape.type.description
  }
  let instance =
    type(of: collection) is AnyClass
    ? collection as AnyObject : (collection as? any DescribedCollection)?.describedInstance
  return "\(name)<\(names.joined(separator: ", "))> \(addressText(instance))"
}

/// The memory address of an instance: `<0x600000c8>`.
func addressText(_ instance: AnyObject?) -> String {
  let address =
    instance.map { unsafe UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0
  return "<0x\(String(address, radix: 16))>"
}
