// SPDX-License-Identifier: GPL-3.0-or-later
// A plugin for clang-tidy: checks walk the declarations of the repository alone and skip those of system headers, whose findings
// are ignored anyway. They are nine tenths of every unit. clangd narrows the same checks in the same way.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

namespace {

class OwnSources final : public clang::ASTConsumer {
public:
    void HandleTranslationUnit(clang::ASTContext& context) override
    {
        const clang::SourceManager& sources = context.getSourceManager();
        std::vector<clang::Decl*> own;
        for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
            const clang::SourceLocation place = sources.getExpansionLoc(declaration->getLocation());
            if (place.isValid() && !sources.isInSystemHeader(place))
                own.push_back(declaration);
        }
        context.setTraversalScope(own);
    }
};

class OwnSourcesAction final : public clang::PluginASTAction {
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& /*compiler*/, llvm::StringRef /*file*/) override
    {
        return std::make_unique<OwnSources>();
    }
    bool ParseArgs(const clang::CompilerInstance& /*compiler*/, const std::vector<std::string>& /*arguments*/) override { return true; }
    ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<OwnSourcesAction> kRegistered("own-sources", "checks the sources of the repository alone");

} // namespace
