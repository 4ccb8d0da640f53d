// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of operators: columns in any case and order, both passes of a module, and every bad line named.
#include "core/measured/operatortable.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(OperatorTable, ReadsProductsByTheirColumns)
{
    const Result<std::vector<MeasuredOperator>> rows =
        readOperatorTable("system,K,N,M,dtype,latency_us\nh100_sxm,4096,8192,1024,fp8,100\n", OperatorKind::product);
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->size(), 1U);
    const MeasuredOperator& o = rows->front();
    EXPECT_EQ(o.kind, OperatorKind::product);
    EXPECT_DOUBLE_EQ(o.m, 1024);
    EXPECT_DOUBLE_EQ(o.n, 8192);
    EXPECT_DOUBLE_EQ(o.k, 4096);
    EXPECT_EQ(o.precision, MatrixPrecision::fp8);
    EXPECT_EQ(o.system, "h100_sxm");
    EXPECT_DOUBLE_EQ(o.seconds, 100e-6);
}

TEST(OperatorTable, ReadsBothPassesOfAModule)
{
    const std::string text = "mp,b,h,l,dim,F_dur(us),B_dur(us)\n2.0,4.0,16.0,1536.0,3072.0,742.0,2385.4\n";
    EXPECT_TRUE(isModuleTable(text));
    EXPECT_FALSE(isModuleTable("m,n,k,time_us\n1,1,1,1\n"));
    const Result<std::vector<MeasuredOperator>> rows = readOperatorTable(text, OperatorKind::attention);
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->size(), 2U);
    EXPECT_FALSE((*rows)[0].backward);
    EXPECT_TRUE((*rows)[1].backward);
    EXPECT_DOUBLE_EQ((*rows)[1].seconds, 2385.4e-6);
    EXPECT_DOUBLE_EQ((*rows)[1].heads, 16);
    EXPECT_DOUBLE_EQ((*rows)[1].tensorRanks, 2);
}

TEST(OperatorTable, EveryBadLineIsNamed)
{
    EXPECT_FALSE(readOperatorTable("", OperatorKind::product).ok());
    EXPECT_FALSE(readOperatorTable("a,b\n1,2\n", OperatorKind::product).ok());
    const Diagnostics errors = readOperatorTable("m,n,k,time_us\n1,1,1,1\n0,1,1,1\n1,1,nan,1\n1,1\n", OperatorKind::product).errors();
    ASSERT_EQ(errors.size(), 3U);
    EXPECT_EQ(errors[0].path, "line 3");
    EXPECT_EQ(errors[2].path, "line 5");
}

TEST(OperatorTable, KindsHaveWords)
{
    OperatorKind kind{};
    EXPECT_TRUE(operatorOf("norm", kind));
    EXPECT_EQ(kind, OperatorKind::norm);
    EXPECT_EQ(operatorName(kind), "norm");
    EXPECT_FALSE(operatorOf("gemm", kind));
}

} // namespace
} // namespace prism
