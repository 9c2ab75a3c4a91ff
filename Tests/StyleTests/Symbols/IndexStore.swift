// SPDX-License-Identifier: Apache-2.0

// The compiler's index of this build: which file uses which symbol.
//
// The compiler writes the index beside its modules in every debug build, and the toolchain's
// library reads it. The library is loaded at run time, so that the package links nothing that is
// not part of every platform.
//
// Invariants:
// 1. Symbols are compared by the compiler's own identifiers, so that overloads are distinct.
// 2. Units of files that exist no more are passed over: an index keeps them.

import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads which symbols the files of a build use.
struct IndexStore {
  private typealias Handle = UnsafeMutableRawPointer
  /// The library's texts are a pointer and a byte count, returned and passed as `iovec` is.
  private typealias Text = iovec
  private typealias Visit = @convention(c) (Handle?, Handle?) -> Bool
  private typealias VisitText = @convention(c) (Handle?, Text) -> Bool
  private typealias Open =
    @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>)
    -> Handle?
  private typealias OpenPart =
    @convention(c) (
      Handle, UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>
    ) -> Handle?
  private typealias Dispose = @convention(c) (Handle) -> Void
  private typealias TextOf = @convention(c) (Handle) -> Text
  private typealias NumberOf = @convention(c) (Handle) -> CInt
  private typealias ApplyText = @convention(c) (Handle, CUnsignedInt, Handle?, VisitText) -> Bool
  private typealias Apply = @convention(c) (Handle, Handle?, Visit) -> Bool
  private typealias ApplySymbols = @convention(c) (Handle, Bool, Handle?, Visit) -> Bool

  /// The kind of a unit's dependency that is the record of one source file.
  private static let recordKind: CInt = 2

  private let library: Handle
  private let store: Handle

  /// Opens the index in a folder with the library of a toolchain; nil if either does not fit.
  init?(library path: URL, store folder: URL) {
    guard let library = dlopen(path.path, RTLD_NOW | RTLD_LOCAL) else { return nil }
    self.library = library
    var failure: Handle?
    guard let open = Self.symbol(library, "indexstore_store_create", as: Open.self),
      let store = open(folder.path, &failure)
    else { return nil }
    self.store = store
  }

  /// The identifiers of the symbols that each file below a folder names. Paths are relative to
  /// `root`.
  func symbolsUsed(below folder: String, of root: URL) -> [String: Set<String>] {
    let prefix = root.appending(path: folder).path + "/"
    var found: [String: Set<String>] = [:]
    for unit in unitNames() {
      withPart("indexstore_unit_reader", unit) { reader in
        let path = text("indexstore_unit_reader_get_main_file", of: reader)
        guard path.hasPrefix(prefix), FileManager.default.fileExists(atPath: path) else { return }
        for record in recordNames(of: reader, for: path) {
          withPart("indexstore_record_reader", record) { reader in
            found[String(path.dropFirst(root.path.count + 1)), default: []]
              .formUnion(symbols(of: reader))
          }
        }
      }
    }
    return found
  }

  private func unitNames() -> [String] {
    var names: [String] = []
    let visitor = Visitor<Text> { names.append(Self.string($0)) }
    let apply = function("indexstore_store_units_apply_f", as: ApplyText.self)
    withExtendedLifetime(visitor) {
      _ = apply(store, 1, visitor.handle) { Visitor<Text>.visit($0, $1) }
    }
    return names
  }

  /// The names of the records of one source file: other dependencies are headers and modules.
  private func recordNames(of unit: Handle, for path: String) -> [String] {
    var names: [String] = []
    let kind = function("indexstore_unit_dependency_get_kind", as: NumberOf.self)
    let visitor = Visitor<Handle?> { dependency in
      guard let dependency, kind(dependency) == Self.recordKind,
        text("indexstore_unit_dependency_get_filepath", of: dependency) == path
      else { return }
      names.append(text("indexstore_unit_dependency_get_name", of: dependency))
    }
    let apply = function("indexstore_unit_reader_dependencies_apply_f", as: Apply.self)
    withExtendedLifetime(visitor) {
      _ = apply(unit, visitor.handle) { Visitor<Handle?>.visit($0, $1) }
    }
    return names
  }

  private func symbols(of record: Handle) -> Set<String> {
    var identifiers: Set<String> = []
    let visitor = Visitor<Handle?> { symbol in
      guard let symbol else { return }
      identifiers.insert(text("indexstore_symbol_get_usr", of: symbol))
    }
    let apply = function("indexstore_record_reader_symbols_apply_f", as: ApplySymbols.self)
    withExtendedLifetime(visitor) {
      _ = apply(record, true, visitor.handle) { Visitor<Handle?>.visit($0, $1) }
    }
    return identifiers
  }

  /// Opens a unit or a record by its name for as long as the body runs.
  private func withPart(_ kind: String, _ name: String, _ body: (Handle) -> Void) {
    var failure: Handle?
    let open = function("\(kind)_create", as: OpenPart.self)
    guard let part = open(store, name, &failure) else { return }
    body(part)
    function("\(kind)_dispose", as: Dispose.self)(part)
  }

  private func text(_ name: String, of handle: Handle) -> String {
    Self.string(function(name, as: TextOf.self)(handle))
  }

  private static func string(_ text: Text) -> String {
    String(
      decoding: UnsafeRawBufferPointer(start: text.iov_base, count: Int(text.iov_len)),
      as: UTF8.self)
  }

  /// A function of the library, which `init` found to be the right library.
  private func function<Function>(_ name: String, as type: Function.Type) -> Function {
    guard let found = Self.symbol(library, name, as: type) else {
      preconditionFailure("the index library has no \(name)")
    }
    return found
  }

  private static func symbol<Function>(
    _ library: Handle, _ name: String, as type: Function.Type
  ) -> Function? {
    dlsym(library, name).map { unsafeBitCast($0, to: type) }
  }
}

/// Carries a closure through the library's callbacks, which know only a pointer.
private final class Visitor<Item> {
  private let body: (Item) -> Void

  init(_ body: @escaping (Item) -> Void) { self.body = body }

  var handle: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Shows an item to the visitor with this handle, and goes on.
  static func visit(_ handle: UnsafeMutableRawPointer?, _ item: Item) -> Bool {
    guard let handle else { return false }
    Unmanaged<Visitor<Item>>.fromOpaque(handle).takeUnretainedValue().body(item)
    return true
  }
}
