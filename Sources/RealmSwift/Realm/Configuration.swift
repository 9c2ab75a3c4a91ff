// SPDX-License-Identifier: Apache-2.0

// What to open, and how.

public import Foundation

extension Realm {
  /// Where a realm is stored, and what is stored in it.
  public struct Configuration: Sendable {
    /// The file of the realm; nil for realms in memory. Setting it clears `inMemoryIdentifier`.
    public var fileURL: URL? {
      get { file }
      set {
        if let newValue, newValue.path.isEmpty {
          throwRealmException("Realm path must not be empty")
        }
        file = newValue
        memoryIdentifier = nil
      }
    }

    /// The name of a realm that lives in memory; nil for files. Setting it clears `fileURL`.
    public var inMemoryIdentifier: String? {
      get { memoryIdentifier }
      set {
        if let newValue, newValue.isEmpty {
          throwRealmException("In-memory identifier must not be empty")
        }
        memoryIdentifier = newValue
        file = nil
      }
    }

    /// Whether the file is never changed through realms of this configuration.
    public var readOnly: Bool

    /// The version of the program's model classes. Raise it when they change.
    public var schemaVersion: UInt64

    /// The classes that the realm stores; nil means all classes of the program.
    public var objectTypes: [ObjectBase.Type]?

    private var file: URL?
    private var memoryIdentifier: String?

    /// Creates a configuration of a file, or of a realm in memory if `inMemoryIdentifier` is given.
    public init(
      fileURL: URL? = Realm.Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
      readOnly: Bool = false, schemaVersion: UInt64 = 0, objectTypes: [ObjectBase.Type]? = nil
    ) {
      self.readOnly = readOnly
      self.schemaVersion = schemaVersion
      self.objectTypes = objectTypes
      if let inMemoryIdentifier {
        self.inMemoryIdentifier = inMemoryIdentifier
      } else {
        self.fileURL = fileURL
      }
    }
  }
}
