// SPDX-License-Identifier: GPL-3.0-or-later
// Every field of plain structs without a list of their names: a field that is added to one of them is visited by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace prism::test {

/// Stands for the value of any field when fields are counted.
struct AnyValue {
    template <class T>
    operator T() const; // NOLINT(google-explicit-constructor)
};

template <class T, class... Values>
constexpr std::size_t fieldCount()
{
    if constexpr (requires { T{Values{}..., AnyValue{}}; })
        return fieldCount<T, Values..., AnyValue>();
    else
        return sizeof...(Values);
}

// clang-format off
#define PRISM_FIELDS_1 f1
#define PRISM_FIELDS_2 PRISM_FIELDS_1, f2
#define PRISM_FIELDS_3 PRISM_FIELDS_2, f3
#define PRISM_FIELDS_4 PRISM_FIELDS_3, f4
#define PRISM_FIELDS_5 PRISM_FIELDS_4, f5
#define PRISM_FIELDS_6 PRISM_FIELDS_5, f6
#define PRISM_FIELDS_7 PRISM_FIELDS_6, f7
#define PRISM_FIELDS_8 PRISM_FIELDS_7, f8
#define PRISM_FIELDS_9 PRISM_FIELDS_8, f9
#define PRISM_FIELDS_10 PRISM_FIELDS_9, f10
#define PRISM_FIELDS_11 PRISM_FIELDS_10, f11
#define PRISM_FIELDS_12 PRISM_FIELDS_11, f12
#define PRISM_FIELDS_13 PRISM_FIELDS_12, f13
#define PRISM_FIELDS_14 PRISM_FIELDS_13, f14
#define PRISM_FIELDS_15 PRISM_FIELDS_14, f15
#define PRISM_FIELDS_16 PRISM_FIELDS_15, f16
#define PRISM_FIELDS_17 PRISM_FIELDS_16, f17
#define PRISM_FIELDS_18 PRISM_FIELDS_17, f18
#define PRISM_FIELDS_19 PRISM_FIELDS_18, f19
#define PRISM_FIELDS_20 PRISM_FIELDS_19, f20
#define PRISM_FIELDS_21 PRISM_FIELDS_20, f21
#define PRISM_FIELDS_22 PRISM_FIELDS_21, f22
#define PRISM_FIELDS_23 PRISM_FIELDS_22, f23
#define PRISM_FIELDS_24 PRISM_FIELDS_23, f24
#define PRISM_FIELDS_25 PRISM_FIELDS_24, f25
#define PRISM_FIELDS_26 PRISM_FIELDS_25, f26
#define PRISM_FIELDS_27 PRISM_FIELDS_26, f27
#define PRISM_FIELDS_28 PRISM_FIELDS_27, f28
#define PRISM_FIELDS_29 PRISM_FIELDS_28, f29
#define PRISM_FIELDS_30 PRISM_FIELDS_29, f30
#define PRISM_FIELDS_31 PRISM_FIELDS_30, f31
#define PRISM_FIELDS_32 PRISM_FIELDS_31, f32
#define PRISM_FIELDS_33 PRISM_FIELDS_32, f33
#define PRISM_FIELDS_34 PRISM_FIELDS_33, f34
#define PRISM_FIELDS_35 PRISM_FIELDS_34, f35
#define PRISM_FIELDS_36 PRISM_FIELDS_35, f36
#define PRISM_FIELDS_37 PRISM_FIELDS_36, f37
#define PRISM_FIELDS_38 PRISM_FIELDS_37, f38
#define PRISM_FIELDS_39 PRISM_FIELDS_38, f39
#define PRISM_FIELDS_40 PRISM_FIELDS_39, f40
#define PRISM_FIELDS_41 PRISM_FIELDS_40, f41
#define PRISM_FIELDS_42 PRISM_FIELDS_41, f42
#define PRISM_FIELDS_43 PRISM_FIELDS_42, f43
#define PRISM_FIELDS_44 PRISM_FIELDS_43, f44
#define PRISM_FIELDS_45 PRISM_FIELDS_44, f45
#define PRISM_FIELDS_46 PRISM_FIELDS_45, f46
#define PRISM_FIELDS_47 PRISM_FIELDS_46, f47
#define PRISM_FIELDS_48 PRISM_FIELDS_47, f48
#define PRISM_FIELDS_49 PRISM_FIELDS_48, f49
#define PRISM_FIELDS_50 PRISM_FIELDS_49, f50
#define PRISM_FIELDS_51 PRISM_FIELDS_50, f51
#define PRISM_FIELDS_52 PRISM_FIELDS_51, f52
#define PRISM_FIELDS_53 PRISM_FIELDS_52, f53
#define PRISM_FIELDS_54 PRISM_FIELDS_53, f54
#define PRISM_FIELDS_55 PRISM_FIELDS_54, f55
#define PRISM_FIELDS_56 PRISM_FIELDS_55, f56
#define PRISM_TIE(n) if constexpr (fieldCount<T>() == n) { auto& [PRISM_FIELDS_##n] = object; return std::tie(PRISM_FIELDS_##n); } else

/// References to the fields of an aggregate, in their order.
template <class T>
auto fieldsOf(T& object)
{
    PRISM_TIE(1) PRISM_TIE(2) PRISM_TIE(3) PRISM_TIE(4) PRISM_TIE(5) PRISM_TIE(6) PRISM_TIE(7) PRISM_TIE(8)
    PRISM_TIE(9) PRISM_TIE(10) PRISM_TIE(11) PRISM_TIE(12) PRISM_TIE(13) PRISM_TIE(14) PRISM_TIE(15) PRISM_TIE(16)
    PRISM_TIE(17) PRISM_TIE(18) PRISM_TIE(19) PRISM_TIE(20) PRISM_TIE(21) PRISM_TIE(22) PRISM_TIE(23) PRISM_TIE(24)
    PRISM_TIE(25) PRISM_TIE(26) PRISM_TIE(27) PRISM_TIE(28) PRISM_TIE(29) PRISM_TIE(30) PRISM_TIE(31) PRISM_TIE(32)
    PRISM_TIE(33) PRISM_TIE(34) PRISM_TIE(35) PRISM_TIE(36) PRISM_TIE(37) PRISM_TIE(38) PRISM_TIE(39) PRISM_TIE(40)
    PRISM_TIE(41) PRISM_TIE(42) PRISM_TIE(43) PRISM_TIE(44) PRISM_TIE(45) PRISM_TIE(46) PRISM_TIE(47) PRISM_TIE(48)
    PRISM_TIE(49) PRISM_TIE(50) PRISM_TIE(51) PRISM_TIE(52) PRISM_TIE(53) PRISM_TIE(54) PRISM_TIE(55) PRISM_TIE(56)
    static_assert(fieldCount<T>() == 0, "add a line for structs of this size");
}
// clang-format on
#undef PRISM_TIE

template <class T>
constexpr bool isVector = false;
template <class T>
constexpr bool isVector<std::vector<T>> = true;
template <class T>
constexpr bool isMap = false;
template <class T>
constexpr bool isMap<std::map<std::string, T>> = true;
template <class T>
constexpr bool isShared = false;
template <class T>
constexpr bool isShared<std::shared_ptr<const T>> = true;

/// Changes one thing after the other in an object, calls `changed` after each, and restores it: every number, word and flag at any depth,
/// every item of every list, the number of items and their order.
template <class Changed>
class EveryChange final {
public:
    explicit EveryChange(Changed changed) : m_changed(std::move(changed)) {}

    template <class T>
    void visit(T& value, const std::string& path)
    {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>)
            with(value, other(value), path);
        else if constexpr (isVector<T>)
            list(value, path);
        else if constexpr (isMap<T>)
            map(value, path);
        else if constexpr (isShared<T>)
            shared(value, path);
        else
            std::apply(
                [&](auto&... fields) {
                    int i = 0;
                    (visit(fields, path + "." + std::to_string(i++)), ...);
                },
                fieldsOf(value));
    }

private:
    Changed m_changed;

    template <class T>
    static T other(const T& value)
    {
        if constexpr (std::is_same_v<T, bool>)
            return !value;
        else if constexpr (std::is_enum_v<T>)
            return static_cast<T>(value == T{} ? 1 : 0);
        else if constexpr (std::is_same_v<T, std::string>)
            return value + "x";
        else if constexpr (std::is_integral_v<T>)
            return static_cast<T>(value + 1);
        else
            return value + 0.0625;
    }
    template <class T>
    void with(T& value, T changed, const std::string& path)
    {
        std::swap(value, changed);
        m_changed(path);
        std::swap(value, changed);
    }
    template <class T>
    void list(std::vector<T>& items, const std::string& path)
    {
        for (std::size_t i = 0; i < items.size(); ++i)
            visit(items[i], path + "[" + std::to_string(i) + "]");
        std::vector<T> more = items, fewer = items, turned(items.rbegin(), items.rend());
        more.push_back(items.empty() ? T{} : items.back());
        with(items, more, path + " with one more");
        if (!items.empty()) {
            fewer.pop_back();
            with(items, fewer, path + " with one fewer");
        }
        if (turned != items)
            with(items, turned, path + " turned");
    }
    template <class T>
    void map(std::map<std::string, T>& items, const std::string& path)
    {
        for (auto& [name, item] : items) {
            visit(item, path + "[" + name + "]");
            std::map<std::string, T> renamed = items;
            auto node = renamed.extract(name);
            node.key() += "x";
            renamed.insert(std::move(node));
            with(items, renamed, path + "[" + name + "] renamed");
        }
    }
    template <class T>
    void shared(std::shared_ptr<const T>& value, const std::string& path)
    {
        if (!value)
            return with(value, std::make_shared<const T>(T{1, 2}), path + " set");
        auto own = std::make_shared<T>(*value);
        std::shared_ptr<const T> kept = std::exchange(value, own);
        visit(*own, path);
        value = kept;
        with(value, std::shared_ptr<const T>(), path + " unset");
    }
};

template <class T, class Changed>
void forEveryChange(T& object, Changed changed)
{
    EveryChange<Changed>(std::move(changed)).visit(object, "");
}

} // namespace prism::test
